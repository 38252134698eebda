"""Runs a probe from its options to its record, its report and its exit status."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from audio.engine import EngineInfo
from bench.probes import duplex as duplex_probe
from bench.probes import duplex_report, latency_report, recipe, settings_for
from bench.probes import latency as latency_probe
from bench.probes.corpus import Corpus
from bench.probes.play import Setting, Side
from bench.probes.record import (
    Record,
    broken,
    check_writable,
    load_now,
    parse_limit,
    shown,
    write_json,
    write_text,
)
from bench.probes.sides import JarvisSide, MindFor, SequentialSide, about_run
from bench.probes.speaker import Studio
from bench.report import page
from bench.report.progress import Progress
from jarvis_voice import config
from jarvis_voice.cli.io import Io
from jarvis_voice.config import Settings
from jarvis_voice.errors import UsageError
from jarvis_voice.resources import asset
from jarvis_voice.runs.sources import open_recording
from jarvis_voice.virtual_time import run_virtual

T = TypeVar("T")

QUICK = 8  # items of a quick run


@dataclass(slots=True)
class Bench:
    """What a probe runs with."""

    args: argparse.Namespace
    io: Io
    settings: Settings
    record: Record
    corpus: Corpus
    sides: list[Side] = field(default_factory=list)

    @property
    def items(self) -> int | None:
        """How many items of the corpus; None for all."""
        return QUICK if self.args.quick and self.args.items is None else self.args.items

    @property
    def virtual(self) -> bool:
        """Whether models take no time: then they need not work twice for the same phrase either."""
        return bool(self.args.clock == "virtual")

    def hold(self, scenes: Coroutine[Any, Any, T]) -> T:
        """Play scenes to their end, on the clock that was chosen."""
        return run_virtual(scenes) if self.virtual else asyncio.run(scenes)

    @property
    def names(self) -> list[str]:
        return [side.name for side in self.sides]


def latency(args: argparse.Namespace, io: Io) -> int:
    """``jarvis bench latency``."""
    with opened("latency", args, io) as bench:
        cases = recipe.prompt_cases(args.seed, bench.items)
        speak(bench, cases, bench.corpus.prompt)
        ttft_s = None if args.model_ttft is None else args.model_ttft / 1000
        if ttft_s is not None:  # the conversation is led as for any chat model, openers included
            brain = replace(bench.settings.brain, kind="openai", model="scripted")
            bench.settings = replace(bench.settings, brain=brain)
        run = open_recording(asset("runs", "demo.jsonl"))
        with _sides(bench, about_run(bench.settings, run, ttft_s)), _setting(bench) as setting:
            items = bench.hold(_latency(bench, setting, cases))
        bench.record.items = [item.record() for item in items]
        found = latency_probe.metrics(items, bench.names, args.seed)
        bench.record.metrics = found
        io.line(latency_report.as_text(found, items, bench.names))
        return end(bench, latency_report.sections(found, items, bench.names))


async def _latency(
    bench: Bench, setting: Setting, cases: Sequence[recipe.PromptCase]
) -> list[latency_probe.Item]:
    repeats = bench.args.repeats
    progress = Progress(bench.io.err, "latency", len(bench.sides) * (len(cases) + repeats))
    items: list[latency_probe.Item] = []
    for _ in range(repeats):
        for side in bench.sides:
            items += await latency_probe.shared(setting, side)
            progress.step(side.name)
    for case in cases:
        for side in bench.sides:
            items.append(await latency_probe.prompt(setting, side, bench.corpus, case))
            progress.step(side.name)
    progress.end()
    return items


def duplex(args: argparse.Namespace, io: Io) -> int:
    """``jarvis bench duplex``."""
    with opened("duplex", args, io) as bench:
        cases = recipe.duplex_cases(args.seed, bench.items)
        if args.over == "websocket":  # there the echo is the client's own business
            cases = [case for case in cases if not case.echo]
        if args.audio is not None:
            cases += bench.corpus.add_human(args.audio)
        speak(bench, cases, bench.corpus.overlap)
        with _sides(bench, duplex_probe.mind), _setting(bench) as setting:
            items = bench.hold(_duplex(bench, setting, cases))
        bench.record.items = [item.record() for item in items]
        found = duplex_probe.metrics(items, bench.names, args.seed)
        bench.record.metrics = found
        io.line(duplex_report.as_text(found, items, bench.names))
        return end(bench, duplex_report.sections(found, items, bench.names))


async def _duplex(
    bench: Bench, setting: Setting, cases: Sequence[recipe.DuplexCase]
) -> list[duplex_probe.Item]:
    progress = Progress(bench.io.err, "duplex", len(bench.sides) * len(cases))
    items = []
    for case in cases:
        for side in bench.sides:
            items.append(await duplex_probe.overlap(setting, side, bench.corpus, case))
            progress.step(side.name)
    progress.end()
    return items


# --- what all probes share ---------------------------------------------------------------------


@contextlib.contextmanager
def opened(track: str, args: argparse.Namespace, io: Io) -> Iterator[Bench]:
    """Everything but the sides. Options that make no sense are refused before any work."""
    if args.items is not None and args.items < 1:
        raise UsageError("--items needs a number of 1 or more.", "Leave it out for all of them.")
    if getattr(args, "clock", "real") == "virtual" and args.over != "files":
        raise UsageError("--clock virtual goes with --over files only.", "Leave one of them out.")
    for path in (args.json, args.html):
        if path is not None:
            check_writable(path)
    for text in args.fail_over:
        parse_limit(text, over=True)
    for text in args.fail_under:
        parse_limit(text, over=False)
    options = {
        name: str(value) if name in ("json", "html", "audio", "config") and value else value
        for name, value in sorted(vars(args).items())
        if name not in ("command", "track")
    }
    studio = Studio()
    try:
        yield Bench(
            args,
            io,
            config.load(args.config).settings,
            Record(track, args.seed, options, load=(load_now(), 0.0)),
            Corpus(studio, args.seed),
        )
    finally:
        studio.close()


def speak(bench: Bench, cases: Sequence[Any], say: Callable[[Any], object]) -> None:
    """Have all cases spoken before anything is measured."""
    progress = Progress(bench.io.err, "speaking the corpus", len(cases))
    for case in cases:
        say(case)
        progress.step()
    progress.end()
    bench.record.corpus = {"items": len(cases), "digest": bench.corpus.digest}


@contextlib.contextmanager
def _sides(bench: Bench, mind: MindFor) -> Iterator[None]:
    """Load who answers, ours first."""
    keep = bench.virtual
    bench.io.note("Loading the models ...")
    ours = JarvisSide(bench.settings, mind, keep=keep)
    sides: list[JarvisSide | SequentialSide] = [ours]
    try:
        if bench.args.baseline:
            sides.append(SequentialSide(bench.settings, mind, ours.engines, keep=keep))
        bench.sides = list(sides)
        engines = ours.engines
        bench.record.engines = {
            "recognizer": named(engines.recognizer.info),
            "synthesizer": named(engines.synthesizer.info),
        }
        yield
    finally:
        for side in sides:
            side.close()


def named(info: EngineInfo) -> str:
    weights = [weight.sha256[:12] for weight in info.weights if weight.sha256]
    return " ".join([info.name, *weights])


@contextlib.contextmanager
def _setting(bench: Bench) -> Iterator[Setting]:
    """Where the scenes are played."""
    with settings_for.opened(bench.args.over) as setting:
        yield setting


def end(bench: Bench, sections: Sequence[page.Section]) -> int:
    """Write what was asked for and hold the figures against their limits."""
    args, io, record = bench.args, bench.io, bench.record
    record.load = (record.load[0] if record.load else 0.0, load_now())
    if args.json:
        write_json(args.json, record)
    if args.html:
        write_text(args.html, _page(record, sections))
    limits = [parse_limit(text, over=True) for text in args.fail_over]
    limits += [parse_limit(text, over=False) for text in args.fail_under]
    if record.load[1] > (os.cpu_count() or 1) and getattr(args, "clock", "") == "real":
        io.note(
            f"The machine was busy (load {record.load[1]:.1f} on {os.cpu_count()} cores): a quiet "
            "one is quicker, and only ratios mean much here."
        )
    wrong = broken(limits, record.metrics)
    for line in wrong:
        io.note(f"jarvis: {line}.")
    return 1 if wrong else 0


def _page(record: Record, sections: Sequence[page.Section]) -> str:
    document = record.document()
    environment = document["environment"]
    about = {
        "Jarvis": document["version"],
        "began": record.began,
        "seed": record.seed,
        "corpus": f"{record.corpus.get('items')} items, {record.corpus.get('digest')}",
        "engines": ", ".join(record.engines.values()),
        "machine": f"{environment['processor']}, {environment['cores']} cores",
        "system": f"{environment['system']}, Python {environment['python']}",
        "load before and after": record.load,
    }
    metrics = [
        (name, str(value.count), shown(value, 1, 3)) for name, value in record.metrics.items()
    ]
    extra = [
        page.Section("All figures", "", [page.table(("metric", "n", "value"), metrics)]),
        page.Section("Measured on", "", [page.facts(about)]),
    ]
    return page.page(f"jarvis bench {record.track}", "", [*sections, *extra])
