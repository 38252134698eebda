"""A pipecat pipeline of Jarvis's own models behind the plain PCM websocket, for one client.

Run by an interpreter that has pipecat, and imported by nothing of ours:

    PYTHON bench/foreign/pipecat_server.py --answers FILE

The first line on standard output is the address; the process ends when its client leaves. What a
pipecat user gets without changing anything: the voice detector's and the turn's defaults (Silero,
0.2 s to start and to stop, then Smart Turn), a speech segment recognized as a whole, and sentence
by sentence synthesis. What stands in for pipecat's own services are thin ones around the very
weights that Jarvis uses:

- Whisper tiny.en on CTranslate2, int8, in the window of 30 s that faster-whisper takes, and as
  pipecat's Whisper service drops what is likely no speech. Greedy, where faster-whisper tries five
  beams, so it is quicker here.
- Kokoro int8 on onnxruntime, each sentence whole, as kokoro-onnx gives it. An interruption also
  stops an inference that is under way, which kokoro-onnx cannot.
- A scripted model that answers at once from a table.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import sys
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InterruptionFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    OutputAudioRawFrame,
    OutputTransportMessageFrame,
    OutputTransportMessageUrgentFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.serializers.base_serializer import FrameSerializer
from pipecat.services.llm_service import LLMService
from pipecat.services.settings import LLMSettings, STTSettings, TTSSettings
from pipecat.services.stt_latency import WHISPER_TTFS_P99
from pipecat.services.stt_service import SegmentedSTTService
from pipecat.services.tts_service import TTSService
from pipecat.transcriptions.language import Language
from pipecat.transports.websocket.server import (
    SingleClientWebsocketServerParams,
    SingleClientWebsocketServerTransport,
)
from pipecat.utils.time import time_now_iso8601
from pipecat.workers.runner import WorkerRunner

# The last place to look in: this environment's own packages come first.
sys.path.append(str(Path(__file__).resolve().parents[2]))

from audio.asr.whisper_model import FULL_WINDOW_S, WhisperModel
from audio.asr.whisper_weights import model_folder
from audio.engine import CancelToken
from audio.pcm import to_int16
from audio.tts.kokoro import KokoroSynthesizer
from audio.tts.spoken_text import speak
from bench.foreign.scripted_answers import answer_to

HOST = "127.0.0.1"
RATE = 16_000
NO_SPEECH = 0.4  # from here on it is dropped: the default of pipecat's Whisper service
ANY_THREADS = 0  # CTranslate2 chooses, as faster-whisper lets it


class PlainPcm(FrameSerializer):
    """Raw PCM16 at 16 kHz both ways, and the few JSON messages that tell of it."""

    async def serialize(self, frame: Frame) -> str | bytes | None:
        """See FrameSerializer.serialize."""
        if isinstance(frame, OutputAudioRawFrame):
            return bytes(frame.audio)
        if isinstance(frame, InterruptionFrame):
            return json.dumps({"type": "clear"})
        messages = (OutputTransportMessageFrame, OutputTransportMessageUrgentFrame)
        if isinstance(frame, messages) and not self.should_ignore_frame(frame):
            return json.dumps(frame.message)
        return None

    async def deserialize(self, data: str | bytes) -> Frame | None:
        """See FrameSerializer.deserialize."""
        if isinstance(data, str):
            return None
        return InputAudioRawFrame(audio=data, sample_rate=RATE, num_channels=1)


class Whisper(SegmentedSTTService):
    """Each segment of speech as a whole."""

    def __init__(self, model: WhisperModel) -> None:
        settings = STTSettings(model="tiny.en", language=Language.EN)
        super().__init__(settings=settings, ttfs_p99_latency=WHISPER_TTFS_P99)
        self._whisper = model

    @property
    def wants_wav_segments(self) -> bool:
        """The model takes samples, no file."""
        return False

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame, None]:
        """See STTService.run_stt."""
        samples = np.frombuffer(audio, np.int16).astype(np.float32) / 32768.0
        decoded = await asyncio.to_thread(
            self._whisper.decode, samples, FULL_WINDOW_S, "en", CancelToken()
        )
        if decoded.text and decoded.no_speech < NO_SPEECH:
            now = time_now_iso8601()
            yield TranscriptionFrame(decoded.text, self._user_id, now, Language.EN)


class Scripted(LLMService):
    """Answers at once, by a table."""

    def __init__(self, answers: dict[str, str]) -> None:
        unused = {field.name: None for field in fields(LLMSettings) if field.name != "extra"}
        super().__init__(settings=LLMSettings(**{**unused, "model": "scripted"}))
        self._answers = answers

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """See FrameProcessor.process_frame."""
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        await self.push_frame(LLMFullResponseStartFrame())
        answer = answer_to(_asked(frame.context), self._answers)
        for word in answer.split():
            await self.push_frame(LLMTextFrame(f"{word} "))
        await self.push_frame(LLMFullResponseEndFrame())


class Kokoro(TTSService):
    """Each sentence as a whole."""

    def __init__(self, synthesizer: KokoroSynthesizer) -> None:
        settings = TTSSettings(model="kokoro", voice=None, language=Language.EN)
        super().__init__(push_start_frame=True, push_stop_frames=True, settings=settings)
        self._synthesizer = synthesizer
        self._thread = ThreadPoolExecutor(1)  # the network takes one call at a time

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame, None]:
        """See TTSService.run_tts."""
        cancel = CancelToken()

        def say() -> Any:
            chunks = list(self._synthesizer.synthesize(speak(text), cancel))
            return np.concatenate([chunk.samples for chunk in chunks])

        try:
            samples = await asyncio.get_running_loop().run_in_executor(self._thread, say)
            pcm = to_int16(samples).tobytes()
            sound = await self._resampler.resample(pcm, self._synthesizer.rate, self.sample_rate)
            yield TTSAudioRawFrame(
                audio=sound,
                sample_rate=self.sample_rate,
                num_channels=1,
                context_id=context_id,
            )
        finally:
            cancel.cancel()


def _asked(context: LLMContext) -> str:
    """The user's last words; "" when the turn had none."""
    last = context.get_messages()[-1]
    if last.get("role") != "user":
        return ""
    content = last.get("content")
    return content if isinstance(content, str) else ""


def _transport() -> tuple[SingleClientWebsocketServerTransport, str]:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    params = SingleClientWebsocketServerParams(
        audio_in_enabled=True, audio_out_enabled=True, serializer=PlainPcm()
    )
    return SingleClientWebsocketServerTransport(params, HOST, port), f"ws://{HOST}:{port}"


async def serve(model: WhisperModel, synthesizer: KokoroSynthesizer, table: dict[str, str]) -> None:
    """Talk with one client."""
    transport, address = _transport()
    vad = LLMUserAggregatorParams(vad_analyzer=SileroVADAnalyzer())
    context = LLMContextAggregatorPair(LLMContext(), user_params=vad)
    stages = [
        transport.input(),
        Whisper(model),
        context.user(),
        Scripted(table),
        Kokoro(synthesizer),
        transport.output(),
        context.assistant(),
    ]
    rates = PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=RATE)
    worker = PipelineWorker(Pipeline(stages), params=rates)
    _tell(transport, context, worker, address)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await runner.run()


def _tell(
    transport: SingleClientWebsocketServerTransport,
    context: LLMContextAggregatorPair,
    worker: PipelineWorker,
    address: str,
) -> None:
    """Tell the address when it can be reached, what the user said, and end with the client."""

    @transport.event_handler("on_websocket_ready")
    async def ready(_transport: Any) -> None:
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()

    @context.user().event_handler("on_user_turn_stopped")
    async def said(_aggregator: Any, _strategy: Any, message: Any) -> None:
        told = {"type": "transcript", "role": "user", "text": message.content, "final": True}
        await worker.queue_frame(OutputTransportMessageUrgentFrame(message=told))

    @context.assistant().event_handler("on_assistant_turn_stopped")
    async def answered(_aggregator: Any, message: Any) -> None:
        told = {"type": "transcript", "role": "agent", "text": message.content, "final": True}
        await worker.queue_frame(OutputTransportMessageUrgentFrame(message=told))

    @transport.event_handler("on_client_disconnected")
    async def left(_transport: Any, _client: Any) -> None:
        await worker.cancel()


def main() -> None:
    """Load the models, warm them and serve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--answers", type=Path, required=True, help="question to answer, as JSON")
    table = json.loads(parser.parse_args().answers.read_text(encoding="utf-8"))
    logger.remove()
    logger.add(sys.stderr, level="WARNING")
    model = WhisperModel(model_folder("tiny.en"), ANY_THREADS)
    model.decode(np.zeros(RATE, np.float32), FULL_WINDOW_S, "en", CancelToken())
    synthesizer = KokoroSynthesizer()
    synthesizer.warm()
    asyncio.run(serve(model, synthesizer, table))


if __name__ == "__main__":
    main()
