"""What an engine computes and moves, and the time that no kernel can beat."""
