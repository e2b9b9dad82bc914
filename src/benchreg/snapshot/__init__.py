"""An indexed copy of a registry's rows, so that a question need not read every record."""
