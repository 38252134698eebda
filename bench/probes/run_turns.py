"""Runs ``jarvis bench turns``: nothing in it waits for real time."""

from __future__ import annotations

import argparse

from audio.asr.registry import open_recognizer
from bench.probes import human, recipe, run, turns_report
from bench.probes import turns as probe
from bench.report.progress import Progress
from jarvis_voice.cli.io import Io


def turns(args: argparse.Namespace, io: Io) -> int:
    """``jarvis bench turns``."""
    with run.opened("turns", args, io) as bench:
        chosen, judges = probe.controllers(args.controller)
        cases = recipe.turn_cases(args.seed, bench.items, args.part)
        run.speak(bench, cases, bench.corpus.turn)
        clips = [(case.name, case.kind, bench.corpus.turn(case)) for case in cases]
        if args.audio is not None:
            clips += [(f"human/{n}", "human", c) for n, c in human.clips(args.audio, "turn")]
        recognizer = open_recognizer(bench.settings.recognizer.engine)
        bench.record.engines = {"recognizer": run.named(recognizer.info)}
        listener = probe.Listener(recognizer, judges)
        heard = []
        progress = Progress(io.err, "turns", len(clips))
        for clip in clips:
            heard.append(listener.hear(*clip))
            progress.step()
        progress.end()
        recognizer.close()
        for judge in judges.values():
            judge.close()
        outcomes = {one.name: probe.outcome(heard, one) for one in chosen}
        bench.record.items = probe.records(heard, chosen)
        bench.record.metrics = probe.metrics(outcomes, len(heard), args.seed)
        shown_as = bench.record.metrics, outcomes, bench.record.items
        io.line(turns_report.as_text(*shown_as))
        return run.end(bench, turns_report.sections(*shown_as))
