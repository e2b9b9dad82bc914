"""Answers that are computed from a registry."""
