"""The scripted worker of the feeders: measures load charts, rates cables, grants connections."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.errors import WorkerFailed
from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.pictures import near, pixels
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "margin_of_feeders": Decision(
        options={
            "reserve_20": ("keep 20 percent", "20 percent free", "keep a fifth", "reserve of 20"),
            "reserve_10": ("keep 10 percent", "10 percent free", "keep a tenth", "reserve of 10"),
            "cyclic_110": (
                "over the rating",
                "above the rating",
                "beyond the rating",
                "run warm",
                "overload for some hours",
            ),
        },
        default="reserve_20",
    )
}
QUESTION = (
    "May the cables run up to a tenth above their rating for a few hours of the evening, or should "
    "ten or twenty percent of it stay free on each feeder?"
)
AXIS, BLUE, GREY = (15, 15, 15), (46, 110, 180), (165, 165, 165)
HALF_HOURS = 48
VOLTS = 1.732 * 400
COS = 0.95
BASE = {"AL95": 215, "AL150": 275, "AL240": 364, "CU70": 232}
SOIL = ((10, 1.07), (15, 1.04), (20, 1.00), (25, 0.96))
NEIGHBOURS = (1.00, 0.85, 0.75, 0.68)
SHARE = {"reserve_20": 0.8, "reserve_10": 0.9, "cyclic_110": 1.1}


class Load(NamedTuple):
    day: tuple[float, ...]  # amperes of each half hour, gaps filled
    peak: float
    peak_at: str
    estimated: int


@dataclass(frozen=True)
class Feeder:
    name: str
    load: Load
    segment: str
    rating: int
    has_red_joint: bool
    added: float = 0.0
    granted: int = 0

    @property
    def total(self) -> float:
        return self.load.peak + self.added

    def hours_over(self, more: float = 0.0) -> float:
        longest = row = 0
        for amperes in self.load.day:
            row = row + 1 if amperes + self.added + more > self.rating else 0
            longest = max(longest, row)
        return longest / 2


class Application(NamedTuple):
    name: str
    date: str
    feeder: str
    current: float
    refused: str  # before any margin


async def work(tools: Tools, style: Style) -> None:
    is_careful = style is not Style.CARELESS
    await read(tools, "sources/rules.md")
    loads = {}
    for name, about in (await read_json(tools, "sources/charts.json")).items():
        picture = pixels(await tools.look_bytes(f"sources/{about['file']}"))
        loads[name] = _load(picture, about, is_careful=is_careful)
        await tools.say(f"Feeder {name} had its peak at {loads[name].peak_at}.")
    letters = await read(tools, "sources/letters.txt")
    segments = await read_csv(tools, "sources/segments.csv")
    feeders = [
        _feeder(name, load, [row for row in segments if row["feeder"] == name], letters)
        for name, load in loads.items()
    ]
    tightest = max(feeders, key=lambda one: one.load.peak / one.rating)
    await tools.say(
        f"The ratings are {', '.join(str(one.rating) for one in feeders)} amperes; "
        f"{tightest.name} is the fullest."
    )
    await tools.write("results/loads.csv", _loads_csv(loads))
    await tools.write("results/ratings.csv", _ratings_csv(feeders))
    control = {row["feeder"]: row["control"] == "yes" and is_careful for row in segments}
    rows = await read_csv(tools, "sources/applications.csv")
    applications = [_application(row, letters if is_careful else "", control) for row in rows]
    open_ones = [item for item in applications if not item.refused]
    await tools.say(
        f"{len(open_ones)} of {len(applications)} applications are to be decided by the margin."
    )
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        after, reasons = _granted(feeders, applications, choice.option)
        await tools.write("results/applications.csv", _applications_csv(applications, reasons))
        await tools.write("results/feeders.csv", _feeders_csv(after))
        await tools.write("results/note.md", _note(after, reasons))
        record = _record(after, reasons, choice, leaves_open=leaves_open)
        return await tools.write("results/final.json", as_record(record))

    choice = await settle(DECISIONS["margin_of_feeders"], deliver)
    await tools.say(f"All applications are decided, with {choice.option.replace('_', ' ')}.")


# --- charts


def _load(picture: NDArray[np.uint8], about: Mapping[str, Any], *, is_careful: bool) -> Load:
    left, right, top, bottom = _plot(picture)
    factor = 1000 / (VOLTS * COS) if about["unit"] == "kW" else 1.0
    measured: list[float | None] = []
    for number in range(HALF_HOURS):
        column = picture[top:bottom, int(left + (number + 0.45) * (right - left) / HALF_HOURS)]
        column = column[:, np.newaxis]
        colours = (BLUE,) if is_careful else (BLUE, GREY)
        height = max(int(near(column, colour, 30).sum()) for colour in colours)
        value = height / (bottom - top) * about["axis_top"] * factor
        measured.append(value if height else None)
    known = [value for value in measured if value is not None]
    if not known:
        raise WorkerFailed("A chart has no bars.")
    peak = max(known)
    at = measured.index(peak)
    clock = f"{at // 2:02d}:{at % 2 * 30:02d}"
    return Load(_filled(measured), round(peak, 1), clock, HALF_HOURS - len(known))


def _plot(picture: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Left, right, top and bottom of what lies between the two axes."""
    dark = near(picture, AXIS, 30)
    height, width = dark.shape
    upright = np.flatnonzero(dark.sum(axis=0) > height / 2)
    level = np.flatnonzero(dark.sum(axis=1) > width / 2)
    if not len(upright) or not len(level):
        raise WorkerFailed("A chart has no axes.")
    left, bottom = int(upright.max()) + 1, int(level.min())
    right = int(np.flatnonzero(dark[bottom]).max()) + 1
    return left, right, int(np.flatnonzero(dark[:, left - 1]).min()), bottom


def _filled(measured: Sequence[float | None]) -> tuple[float, ...]:
    """Each gap as high as the higher one of its nearest neighbours."""
    filled = []
    for number, value in enumerate(measured):
        if value is None:
            before = [item for item in measured[:number] if item is not None][-1:]
            after = [item for item in measured[number:] if item is not None][:1]
            value = max(before + after)
        filled.append(value)
    return tuple(filled)


# --- cables and applications


def _feeder(name: str, load: Load, rows: Sequence[Mapping[str, str]], letters: str) -> Feeder:
    rated = [(_rating(row, letters), row["segment"]) for row in rows]
    rating, segment = min(rated)
    return Feeder(name, load, segment, rating, any(row["joint"] == "red" for row in rows))


def _rating(row: Mapping[str, str], letters: str) -> int:
    fewer = re.search(r"beside your feeder (F\d) in\s+segment (\w)[^.]*taken away", letters)
    neighbours = int(row["neighbours"])
    if fewer and (row["feeder"], row["segment"]) == (fewer[1], fewer[2]):
        neighbours -= 1
    soil = float(row["soil_c"])
    factors = [
        low[1] + (high[1] - low[1]) * (soil - low[0]) / (high[0] - low[0])
        for low, high in pairwise(SOIL)
        if low[0] <= soil <= high[0]
    ]
    duct = 0.85 if float(row["duct_m"]) > 6 else 1.0
    return math.floor(BASE[row["type"]] * factors[0] * NEIGHBOURS[neighbours] * duct)


def _application(row: Mapping[str, str], letters: str, control: Mapping[str, bool]) -> Application:
    name, kilowatts = row["id"], float(row["kw"])
    paragraphs = [" ".join(part.split()) for part in letters.split("\n\n") if name in part]
    refused = ""
    for text in paragraphs:
        smaller = re.search(r"(?:with )?(\d+) kW", text)
        if "off your list" in text:
            refused = "withdrawn"
        elif smaller and "stays as it is" not in text:
            kilowatts = float(smaller[1])
    if row["phases"] == "1" and kilowatts > 4.6:
        refused = refused or "phase"
    current = kilowatts * 1000 / (VOLTS * float(row["cos"] or COS))
    if row["kind"] == "charger" and control[row["feeder"]]:
        current *= 0.6
    return Application(name, row["date"], row["feeder"], round(current, 1), refused)


def _granted(
    feeders: Sequence[Feeder], applications: Sequence[Application], margin: str
) -> tuple[list[Feeder], dict[str, str]]:
    """The feeders with all that is granted, and of each application why it is not."""
    now = {one.name: one for one in feeders}
    reasons = {item.name: item.refused for item in applications}
    for item in sorted(applications, key=lambda item: item.date):
        if item.refused:
            continue
        feeder = now[item.feeder]
        if _fits(feeder, item.current, margin):
            now[item.feeder] = replace(
                feeder, added=feeder.added + item.current, granted=feeder.granted + 1
            )
        else:
            reasons[item.name] = "margin"
    return list(now.values()), reasons


def _fits(feeder: Feeder, current: float, margin: str) -> bool:
    share = min(SHARE[margin], 0.9) if feeder.has_red_joint else SHARE[margin]
    is_within = feeder.total + current <= share * feeder.rating
    return is_within and (share < 1 or feeder.hours_over(current) <= 3)


# --- results


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _loads_csv(loads: Mapping[str, Load]) -> str:
    rows = [[name, f"{one.peak:.1f}", one.peak_at, one.estimated] for name, one in loads.items()]
    return _table(["feeder", "peak_a", "peak_at", "estimated"], rows)


def _ratings_csv(feeders: Iterable[Feeder]) -> str:
    rows = [[one.name, one.segment, one.rating] for one in feeders]
    return _table(["feeder", "segment", "rating_a"], rows)


def _applications_csv(applications: Iterable[Application], reasons: Mapping[str, str]) -> str:
    rows = [
        [
            item.name,
            item.feeder,
            f"{item.current:.1f}",
            "refused" if reasons[item.name] else "granted",
            reasons[item.name],
        ]
        for item in applications
    ]
    return _table(["id", "feeder", "current_a", "decision", "reason"], rows)


def _used(feeder: Feeder) -> float:
    return 100 * feeder.total / feeder.rating


def _feeders_csv(feeders: Iterable[Feeder]) -> str:
    rows = [
        [
            one.name,
            one.granted,
            f"{one.total:.1f}",
            one.rating,
            f"{_used(one):.1f}",
            f"{one.hours_over():g}",
        ]
        for one in feeders
    ]
    return _table(["feeder", "granted", "load_a", "rating_a", "used_pct", "hours_over"], rows)


def _with(reasons: Mapping[str, str], is_wanted: Callable[[str], bool]) -> list[str]:
    return [name for name, reason in reasons.items() if is_wanted(reason)]


def _note(feeders: Iterable[Feeder], reasons: Mapping[str, str]) -> str:
    granted = _with(reasons, lambda reason: not reason)
    lines = [
        "# New connections",
        "",
        f"{len(granted)} of {len(reasons)} applications are granted: {', '.join(granted)}.",
        f"Refused for the margin: {', '.join(_with(reasons, lambda reason: reason == 'margin'))}.",
        "",
        *[
            f"- {one.name}: {one.total:.1f} of {one.rating} A, {_used(one):.1f} percent, "
            f"{one.hours_over():g} hours above the rating"
            for one in feeders
        ],
        "",
        "The letters have not gone out.",
    ]
    return "\n".join(lines) + "\n"


def _record(
    feeders: Sequence[Feeder],
    reasons: Mapping[str, str],
    choice: Choice,
    *,
    leaves_open: bool,
) -> dict[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    rationale = "It is the careful one, and who is refused now can still be granted later."
    if choice.by_user:
        rationale = f'The user carries the risk, and said: "{choice.words}"'
    assumption = f"No margin was given; {choice.option} holds until the letters go out."
    red = [one for one in feeders if one.has_red_joint]
    return {
        "situation": f"{len(reasons)} applications on {len(feeders)} feeders are decided.",
        "facts": [f"{one.name} carries {one.total:.1f} of {one.rating} amperes" for one in feeders],
        "decision": {
            "options_considered": list(DECISIONS["margin_of_feeders"].options),
            "choice": choice.option,
            "rationale": rationale,
            "assumptions": [assumption] if is_open else [],
            "question_for_requester": QUESTION if is_open else "",
        },
        "safety": {
            "red_joints_within_90": all(_used(one) <= 90 for one in red),
            "letters_sent": False,
        },
    }
