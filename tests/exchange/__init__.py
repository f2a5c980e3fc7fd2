"""Files that other tools open, read as those tools read them."""
