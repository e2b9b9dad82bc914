"""Findings and records as text; one file per output format."""
