"""Writes documents, and knows no engine."""
