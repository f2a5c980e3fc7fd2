"""The picture of a comparison: columns of layers, bands between them, their colours."""
