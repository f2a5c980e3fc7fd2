"""The report of a history: `blocks` says it; text, markdown and html write that."""
