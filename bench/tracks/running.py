"""What the commands of all tracks have in common: names that are chosen, records, and pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from bench.episodes import Where, run_all
from bench.report.progress import Progress
from bench.results import Record, ResultFile
from jarvis_voice.cli.io import Io
from jarvis_voice.errors import OutputError, UsageError

Job = TypeVar("Job")
Made = TypeVar("Made", bound=Record)
_SHOWN = 60  # names of an error


def chosen(what: str, wanted: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """The names that are wanted, each once. Raises UsageError for one that is not known."""
    wanted = tuple(dict.fromkeys(wanted))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        shown = ", ".join(known[:_SHOWN]) or "none"
        raise UsageError(f'There is no {what} "{unknown[0]}".', f"Known: {shown}.")
    return wanted


def carried_on(
    perform: Callable[[Job], Made],
    jobs: Sequence[Job],
    file: ResultFile[Made] | None,
    where: Where,
    progress: tuple[Io, str, Callable[[Made], str]],
) -> Iterator[Made]:
    """All records of a plan: those that ``file`` holds already, and the others as they are made.

    ``jobs`` are those of the whole plan, in its order. ``progress`` is where it is shown, the name
    of the track, and how a record is called there. The file is closed in the end.
    """
    io, track, name = progress
    try:
        done = list(file.records) if file is not None else []
        if done:
            io.note(f"{len(done)} of {len(jobs)} runs are there already.")
        yield from done
        rest = jobs[len(done) :]
        bar = Progress(io.err, track, len(rest))
        for made in run_all(perform, rest, where):
            if file is not None:
                file.append(made)
            bar.step(name(made))
            yield made
        bar.end()
    finally:
        if file is not None:
            file.close()


def write(path: Path, text: str) -> None:
    """Write a file whole. Raises OutputError."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from error
