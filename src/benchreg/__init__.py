"""A curated registry of LLM-inference benchmark records, and the audit that keeps it honest."""
