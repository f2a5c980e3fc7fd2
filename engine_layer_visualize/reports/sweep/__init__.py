"""The report of a sweep: `blocks` says it; text, markdown and html write that."""
