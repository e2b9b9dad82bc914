"""A curated registry of LLM-inference benchmark records, and the audit that keeps it honest."""

__version__ = "0.1.0"
