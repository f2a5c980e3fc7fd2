"""What Python users hold and call."""
