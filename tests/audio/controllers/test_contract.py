"""All controllers against one contract."""

from audio.controllers.acoustic import AcousticController
from audio.controllers.base import Judgement
from audio.controllers.scripted import ScriptedController
from audio.controllers.semantic import SemanticController
from audio.controllers.smart_turn import SmartTurnController, SmartTurnModel
from audio.controllers.soulx import SoulXController
from audio.turn.events import TurnState


def test_acoustic(check_controller):
    check_controller(AcousticController)


def test_scripted(check_controller):
    check_controller(lambda: ScriptedController([Judgement(TurnState.COMPLETE, 0, 0.9)] * 9))


def test_semantic(check_controller):
    check_controller(SemanticController)


def test_smart_turn_alone_and_as_a_listener(check_controller, tiny):
    model = SmartTurnModel(str(tiny))
    check_controller(lambda: SmartTurnController(model))
    check_controller(lambda: SemanticController(SmartTurnController(model)))


def test_soulx_without_a_server(check_controller):
    check_controller(lambda: SoulXController("ws://127.0.0.1:9/turn", first_retry_s=0.01))
