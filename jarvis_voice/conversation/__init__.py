"""The conductor: one TaskGroup that wires ears, turn machine, brain and mouth. No policy here.

conductor.py     who calls whom; carries out what the turn machine asks for
ears.py          capture -> echo canceller -> VAD frames with session times
transcriber.py   the open turn's recognizer, on its own thread
answer.py        one reply: its text, its audio, and what of it was heard
voice.py         the synthesizer on its threads, by urgency
mouth.py         voice -> playback; tells when the agent is heard
anticipating.py  the beginnings of likely answers, synthesized before anybody asks
keeping.py       lost devices are opened again
"""

from jarvis_voice.conversation.answering import AnsweringSettings, Brain
from jarvis_voice.conversation.anticipating import Anticipates
from jarvis_voice.conversation.conductor import (
    Conversation,
    ConversationSettings,
    Parts,
)
from jarvis_voice.conversation.keeping import DeviceKeeper
from jarvis_voice.conversation.speaking_up import Heard, Notice

__all__ = [
    "AnsweringSettings",
    "Anticipates",
    "Brain",
    "Conversation",
    "ConversationSettings",
    "DeviceKeeper",
    "Heard",
    "Notice",
    "Parts",
]
