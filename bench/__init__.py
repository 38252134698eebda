"""Benchmark tracks and probes: run the app's own conversation code headless and measure it."""
