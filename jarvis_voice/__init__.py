"""The app: watches runs, thinks, decides when to ask for attention, conducts the conversation.

May import ``audio``. Its siblings (brain, runs, telemetry) do not import each other; ``cli`` builds
everything and hands each part what it needs through small Protocols.
"""

__version__ = "0.1.0"
