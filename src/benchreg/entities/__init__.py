"""What may be said: strict, frozen models of records and of the catalogue."""
