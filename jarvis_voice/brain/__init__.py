"""What Jarvis says: a narrator that needs no model, and any chat model with the narrator behind it.

``intents``, ``wording``, ``answers``, ``followups``, ``narrator``, ``history`` and ``prompts`` are
pure. May import ``events``, ``errors`` and ``clock``; never the watched runs: what it needs of them
is the small ``RunLookup`` protocol in ``lookup``.
"""
