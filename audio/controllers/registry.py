"""All turn controllers by name: what is installed, and how to make one.

A conversation needs a controller of its own, as it remembers what it heard; weights are loaded once
and shared.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from audio.controllers import acoustic, semantic, smart_turn
from audio.controllers.acoustic import AcousticController
from audio.controllers.base import TurnController
from audio.controllers.semantic import SemanticController
from audio.controllers.smart_turn import SmartTurnController, SmartTurnModel
from audio.engine import EngineInfo, EngineKind
from audio.errors import EngineMissing

MakeController = Callable[[], TurnController]

_SOULX = "soulx"


def controllers(smart_turn_path: str = "") -> list[EngineInfo]:
    """Every known controller, the default first, installed or not."""
    return [
        _built_in(semantic.NAME, "the words, the voice, the speaker's pauses; Smart Turn if there"),
        _built_in(acoustic.NAME, "silence alone, the same after every turn"),
        smart_turn.describe(smart_turn_path),
        _built_in(_SOULX, "SoulX-Duplug on a server: turn.controller_url names it"),
    ]


def controller_maker(name: str, url: str = "", smart_turn_path: str = "") -> MakeController:
    """Load what a controller needs, and give what makes one for each conversation.

    The semantic one takes Smart Turn in where it is installed, and does without where it is not.
    Raises EngineMissing for an unknown or uninstalled one, and EngineCorrupt.
    """
    if name == semantic.NAME:
        return _semantic(smart_turn_path)
    if name == acoustic.NAME:
        return AcousticController
    if name == smart_turn.NAME:
        return functools.partial(SmartTurnController, SmartTurnModel(smart_turn_path))
    if name == _SOULX:
        from audio.controllers.soulx import SoulXController

        return functools.partial(SoulXController, url)
    known = ", ".join(info.name for info in controllers())
    raise EngineMissing(f"There is no turn controller called {name!r}.", f"Choose one of: {known}.")


def _semantic(smart_turn_path: str) -> MakeController:
    try:
        model = SmartTurnModel(smart_turn_path)
    except EngineMissing:
        if smart_turn_path:
            raise  # it was asked for
        return SemanticController
    return lambda: SemanticController(SmartTurnController(model))


def _built_in(name: str, description: str) -> EngineInfo:
    return EngineInfo(name, EngineKind.TURN_CONTROLLER, description, installed=True)
