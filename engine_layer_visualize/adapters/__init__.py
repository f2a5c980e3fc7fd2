"""Programs that others load, and that call the public API alone."""
