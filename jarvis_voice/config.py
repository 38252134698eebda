"""Every setting, where it may come from, and what it may be.

A setting is looked up in this order, the first that has it wins:

1. an option of the command, such as ``--voice`` (applied by the command itself),
2. the environment: ``JARVIS_<SECTION>_<KEY>``, such as ``JARVIS_BRAIN_BASE_URL``,
3. the settings file, TOML: ``--config FILE``, or ``config.toml`` in the user's config folder,
4. the default, which ``assets/default.toml`` documents.

This is the only module that reads the environment for settings. Secrets are no settings: a setting
names the environment variable that holds one.
"""

from __future__ import annotations

import difflib
import os
import tomllib
import types
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict, get_args, get_origin, get_type_hints

from platformdirs import user_config_path, user_state_path
from pydantic import TypeAdapter, ValidationError

from audio.clocks import Clocks
from audio.turn.settings import TurnSettings
from jarvis_voice.clock import cpu_seconds, stopwatch
from jarvis_voice.errors import SettingsError
from jarvis_voice.runs.discovery import Homes
from jarvis_voice.wire.settings import GateSettings

PREFIX = "JARVIS_"
# Variables of ours that are no settings: looked at by other parts before any settings exist.
OTHER_VARIABLES = frozenset({"JARVIS_CACHE_DIR", "JARVIS_CONFIG", "JARVIS_DEBUG", "JARVIS_SHARED"})

_STREAMING_ENGINES = frozenset({"kokoro", "kokoro-espeak"})  # these may be handed clocks


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """Which sound devices, and whether the microphone hears the loudspeaker."""

    input: str = ""  # part of a device's name, or its number; empty is the system's default
    output: str = ""
    echo: Literal["headphones", "speaker"] = "headphones"  # "speaker" cancels the echo
    output_latency_s: float = 0.1  # 0.08 is the lowest that played without gaps on PulseAudio


@dataclass(frozen=True, slots=True)
class RecognizerSettings:
    """Which engine turns the user's speech into text; ``jarvis models`` lists them."""

    engine: str = "whisper-tiny.en"


class VoiceOptions(TypedDict, total=False):
    """How a synthesizer is opened."""

    voice: str
    speed: float
    clocks: Clocks


@dataclass(frozen=True, slots=True)
class SynthesizerSettings:
    """Which engine and voice speak."""

    engine: str = "kokoro"
    voice: str = ""  # empty is the engine's own default voice
    speed: float = 1.0  # 1.0 is the voice's natural pace
    keep_mb: float = 32.0  # of what Jarvis said, on disk; 0 keeps none
    streaming: Literal["auto", "off"] = "auto"  # whether a phrase may sound before it is whole

    def options(self) -> VoiceOptions:
        """What the engine is opened with; a voice only when one was chosen."""
        options: VoiceOptions = {"speed": self.speed}
        if self.voice:
            options["voice"] = self.voice
        if self.streaming == "auto" and self.engine in _STREAMING_ENGINES:
            options["clocks"] = Clocks(stopwatch, cpu_seconds)
        return options


@dataclass(frozen=True, slots=True)
class BrainSettings:
    """Who words the answers. The narrator needs no model and is what any model falls back to."""

    kind: Literal["narrator", "openai", "anthropic"] = "narrator"
    model: str = ""  # needed unless kind is "narrator"
    base_url: str = ""  # of an OpenAI-compatible server; empty is the provider's own
    api_key_env: str = ""  # NAME of the variable that holds the key; empty: the provider's usual
    first_word_timeout_s: float = 4.0  # after this without a word the narrator answers
    timeout_s: float = 30.0  # a whole answer takes no longer
    opener_after_s: float = 0.6  # a model that is later than this is bridged; 0 never


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """Where live conversations leave their timelines; they hold what was said, as text."""

    folder: str = ""  # empty keeps none


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, by section. A part is handed its section, never the whole."""

    devices: DeviceSettings = field(default_factory=DeviceSettings)
    turn: TurnSettings = field(default_factory=TurnSettings)
    recognizer: RecognizerSettings = field(default_factory=RecognizerSettings)
    synthesizer: SynthesizerSettings = field(default_factory=SynthesizerSettings)
    brain: BrainSettings = field(default_factory=BrainSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    gate: GateSettings = field(default_factory=GateSettings)


class Span(NamedTuple):
    """The least and the greatest value that a number may have."""

    least: float
    most: float


# Kept here and not on the fields, so that ``audio`` stays free of the validating library.
SPANS: dict[str, Span] = {
    "devices.output_latency_s": Span(0.02, 1.0),
    "turn.speech_threshold": Span(0.05, 0.95),
    "turn.silence_threshold": Span(0.01, 0.95),
    "turn.start_s": Span(0.032, 1.0),
    "turn.end_s": Span(0.1, 3.0),
    "turn.settle_s": Span(0.032, 3.0),
    "turn.pre_roll_s": Span(0.0, 2.0),
    "turn.duck_s": Span(0.0, 1.0),
    "turn.pause_s": Span(0.032, 3.0),
    "turn.barge_in_s": Span(0.1, 3.0),
    "turn.barge_in_gap_s": Span(0.0, 1.0),
    "turn.resume_after_s": Span(0.1, 10.0),
    "turn.resume_silence_s": Span(0.0, 3.0),
    "turn.max_turn_s": Span(5.0, 600.0),
    "turn.final_timeout_s": Span(0.5, 60.0),
    "turn.capture_stall_s": Span(0.1, 10.0),
    "turn.patience_s": Span(0.3, 6.0),
    "turn.hold_s": Span(0.5, 30.0),
    "synthesizer.speed": Span(0.5, 2.0),
    "synthesizer.keep_mb": Span(0.0, 1000.0),
    "brain.first_word_timeout_s": Span(0.5, 60.0),
    "brain.timeout_s": Span(1.0, 300.0),
    "brain.opener_after_s": Span(0.0, 10.0),
    "gate.port": Span(0, 65535),
    "gate.hold_s": Span(1.0, 3600.0),
}


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, and for each key ("section.key") where its value came from."""

    settings: Settings
    origins: dict[str, str]
    path: Path  # of the settings file, which need not exist


class _Found(NamedTuple):
    value: object
    origin: str  # for people: "the environment variable JARVIS_TURN_END_S"
    is_text: bool  # from the environment: a number is still to be read from it


def settings_path(environ: Mapping[str, str] | None = None) -> Path:
    """The settings file that is read when ``--config`` names no other."""
    named = (os.environ if environ is None else environ).get("JARVIS_CONFIG")
    if named:
        return Path(named).expanduser()
    return user_config_path("jarvis-voice", appauthor=False) / "config.toml"


def decisions_path() -> Path:
    """The file in which every question, answer and delivery is kept."""
    return user_state_path("jarvis-voice", appauthor=False) / "decisions.sqlite"


def telemetry_folder(settings: TelemetrySettings) -> Path | None:
    """The folder for timelines, None when none are kept."""
    return Path(settings.folder).expanduser() if settings.folder else None


def agent_homes(environ: Mapping[str, str] | None = None) -> Homes:
    """Where the agent runtimes keep their files; their own variables move them."""
    variables = os.environ if environ is None else environ

    def folder(variable: str, usual: str) -> Path:
        return Path(variables.get(variable) or usual).expanduser()

    return Homes(
        claude=folder("CLAUDE_CONFIG_DIR", "~/.claude"),
        codex=folder("CODEX_HOME", "~/.codex"),
        openclaw=folder("OPENCLAW_STATE_DIR", "~/.openclaw"),
        events=user_state_path("jarvis-voice", appauthor=False) / "events",
    )


def api_key(settings: BrainSettings, environ: Mapping[str, str] | None = None) -> str | None:
    """The key for the brain's model, None when its variable is not set."""
    usual = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
    name = settings.api_key_env or usual.get(settings.kind, "")
    return (os.environ if environ is None else environ).get(name) or None


def defaults() -> dict[str, object]:
    """Every key ("section.key") with its default, in the order in which they are documented."""
    return {
        f"{section}.{name}": value
        for section, content in as_dict(Settings()).items()
        for name, value in content.items()
    }


def as_dict(settings: Settings) -> dict[str, dict[str, object]]:
    """The settings as plain sections of plain values."""
    return {
        section.name: {
            key.name: getattr(getattr(settings, section.name), key.name)
            for key in fields(getattr(settings, section.name))
        }
        for section in fields(settings)
    }


def load(path: Path | None = None, environ: Mapping[str, str] | None = None) -> LoadedSettings:
    """Read the settings from the file and the environment, and check each of them.

    Without ``path``, ``JARVIS_CONFIG`` or the user's own settings file is read if it is there; a
    file that was asked for must be there. Raises SettingsError, which names the place, the key and
    what is allowed.
    """
    environ = os.environ if environ is None else environ
    actual = path.expanduser() if path else settings_path(environ)
    asked_for = path is not None or bool(environ.get("JARVIS_CONFIG"))
    found = _from_file(actual, must_exist=asked_for) | _from_environment(environ)
    settings = Settings()
    origins = dict.fromkeys(defaults(), "default")
    for key, value in found.items():
        settings = _with(settings, key, _checked(key, value))
        origins[key] = value.origin
    _check_together(settings, origins)
    return LoadedSettings(settings, origins, actual)


def override(loaded: LoadedSettings, options: Mapping[str, object]) -> LoadedSettings:
    """Apply a command's own options, "section.key" to value; None means that it was not given."""
    settings, origins = loaded.settings, dict(loaded.origins)
    for key, value in options.items():
        if value is None:
            continue
        origin = f"the option for {key}"
        settings = _with(settings, key, _checked(key, _Found(value, origin, is_text=False)))
        origins[key] = origin
    _check_together(settings, origins)
    return LoadedSettings(settings, origins, loaded.path)


def _with(settings: Settings, key: str, value: object) -> Settings:
    section, name = key.split(".")
    changed = replace(getattr(settings, section), **{name: value})
    return replace(settings, **{section: changed})


def _from_file(path: Path, *, must_exist: bool) -> dict[str, _Found]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if must_exist:
            raise SettingsError(
                f"The settings file {path} does not exist.",
                "Name one that does, or leave the option out.",
            ) from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"The settings file {path} cannot be read: {error}.", "Mend or remove it."
        ) from error
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"The settings file {path} is not valid TOML: {error}.",
            "Mend that line; 'jarvis config --default' prints a file that is right.",
        ) from error
    return _from_document(document, path)


def _from_document(document: Mapping[str, object], path: Path) -> dict[str, _Found]:
    found: dict[str, _Found] = {}
    sections = [section.name for section in fields(Settings)]
    for section, content in document.items():
        if section not in sections:
            raise _unknown(f"section [{section}]", f"The settings file {path}", section, sections)
        if not isinstance(content, Mapping):
            raise SettingsError(
                f"The settings file {path} has the value {content!r} for {section}, which is a "
                "section.",
                f"Write [{section}] on a line of its own, and the settings below it.",
            )
        allowed = [key.partition(".")[2] for key in defaults() if key.startswith(f"{section}.")]
        for name, value in content.items():
            if name not in allowed:
                raise _unknown(f"key {section}.{name}", f"The settings file {path}", name, allowed)
            origin = f"the settings file {path}"
            found[f"{section}.{name}"] = _Found(value, origin, is_text=False)
    return found


def _from_environment(environ: Mapping[str, str]) -> dict[str, _Found]:
    """Take our variables; a misspelt one is an error, another program's JARVIS_ one is not."""
    variables = {PREFIX + key.replace(".", "_").upper(): key for key in defaults()}
    sections = tuple(f"{PREFIX}{section.name.upper()}_" for section in fields(Settings))
    found: dict[str, _Found] = {}
    for variable, value in environ.items():
        if variable in variables:
            origin = f"the environment variable {variable}"
            found[variables[variable]] = _Found(value, origin, is_text=True)
        elif variable.startswith(PREFIX) and variable not in OTHER_VARIABLES:
            similar = difflib.get_close_matches(variable, variables, n=1, cutoff=0.85)
            if similar or variable.startswith(sections):
                raise _unknown(f"variable {variable}", "The environment", variable, [*variables])
    return found


def _unknown(what: str, where: str, name: str, allowed: list[str]) -> SettingsError:
    similar = difflib.get_close_matches(name, allowed, n=1)
    if similar:
        remedy = f"Did you mean {similar[0]}?"
    elif len(allowed) <= 12:
        remedy = f"Known are {', '.join(allowed)}."
    else:
        remedy = "'jarvis config' lists all that are known."
    return SettingsError(f"{where} has the unknown {what}.", remedy)


def _checked(key: str, found: _Found) -> object:
    """The value as the type of its field, or SettingsError."""
    section, _, name = key.partition(".")
    hint = get_type_hints(get_type_hints(Settings)[section])[name]
    problem = f"{found.origin[0].upper()}{found.origin[1:]} sets {key} to {found.value!r}."
    try:
        value = TypeAdapter(hint).validate_python(found.value, strict=not found.is_text)
    except ValidationError:
        raise SettingsError(problem, f"Allowed is {allowed_values(key, hint)}.") from None
    span = SPANS.get(key)
    if span and not span.least <= value <= span.most:
        raise SettingsError(problem, f"Allowed is {allowed_values(key, hint)}.")
    if key == "turn.controller_url" and value and not str(value).startswith(("ws://", "wss://")):
        raise SettingsError(problem, "It must begin with ws:// or wss://, or be empty.")
    if key == "brain.base_url" and value and not str(value).startswith(("http://", "https://")):
        raise SettingsError(problem, "It must begin with http:// or https://, or be empty.")
    return value


def allowed_values(key: str, hint: Any = None) -> str:
    """In words, what a setting may be. ``hint`` is its type, looked up when not given."""
    if hint is None:
        section, _, name = key.partition(".")
        hint = get_type_hints(get_type_hints(Settings)[section])[name]
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(repr(choice) for choice in get_args(hint))
    if isinstance(hint, types.UnionType):
        return "one of " + ", ".join(str(choice) for choice in get_args(hint))
    if key in SPANS:
        return f"a number from {SPANS[key].least:g} to {SPANS[key].most:g}"
    return {str: "text in quotes", float: "a number", int: "a whole number", bool: "true or false"}[
        hint
    ]


def _check_together(settings: Settings, origins: Mapping[str, str]) -> None:
    """Check what only makes sense in pairs."""
    turn, brain = settings.turn, settings.brain
    if turn.silence_threshold > turn.speech_threshold:
        raise SettingsError(
            f"turn.silence_threshold ({turn.silence_threshold:g}, from "
            f"{origins['turn.silence_threshold']}) is above turn.speech_threshold "
            f"({turn.speech_threshold:g}, from {origins['turn.speech_threshold']}).",
            "It must not be above it, or speech would never settle.",
        )
    if turn.settle_s > turn.end_s:
        raise SettingsError(
            f"turn.settle_s ({turn.settle_s:g}, from {origins['turn.settle_s']}) is longer than "
            f"turn.end_s ({turn.end_s:g}, from {origins['turn.end_s']}).",
            "It must not be longer, since the transcript is settled before the turn ends.",
        )
    if turn.controller == "soulx" and not turn.controller_url:
        raise SettingsError(
            f'turn.controller is "soulx" (from {origins["turn.controller"]}), but '
            "turn.controller_url is empty.",
            'Set it to the address of the server, such as "ws://gpu.local:8000/turn".',
        )
    if brain.kind != "narrator" and not brain.model:
        raise SettingsError(
            f"brain.kind is {brain.kind!r} (from {origins['brain.kind']}), but brain.model is "
            "empty.",
            "Set brain.model to the name that your provider or server gives the model.",
        )
