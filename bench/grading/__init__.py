"""Grading: what a run has left behind, and how a sealed grader turns it into checkpoints."""
