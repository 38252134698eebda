"""Watched runs: sources become events, a pure fold keeps a bounded snapshot, a briefing tells news.

``model``, ``reducer``, ``briefing`` and ``redact`` are pure. ``sources`` read files; ``watcher`` is
the one module that waits. May import ``events``, ``errors`` and ``clock``; never the brain.
"""
