"""The timeline, an append-only file of events, and what is derived from it: latencies, figures.

``latency`` is pure. Must not know: how a conversation is led; it is told what happened.
"""
