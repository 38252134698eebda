"""The tracks of the benchmark: what is measured, and how a run of each goes."""
