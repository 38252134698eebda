"""Who has the floor: pure decisions from facts and the time, as actions for others to perform.

Imports no clock, no thread, no socket and no engine. Equal facts give equal actions.
"""
