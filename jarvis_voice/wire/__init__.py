"""The app's doors: the gate that agent runtimes ask before a tool call, and how they find it.

Everything listens on loopback only and wants the token that ``rendezvous`` keeps.
"""
