"""The scripted worker of the returned loan: measures marks, compares photos, lists what travels."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.errors import WorkerFailed
from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.pictures import near, pixels
from bench.workers.scripted import Choice, as_record, read, read_csv, settle

DECISIONS = {
    "small_changes": Decision(
        options={
            "send_on": ("same van", "next van", "straight on", "send them on at once"),
            "send_accompanied": (
                "accompanied",
                "use the courier",
                "take the courier",
                "courier travels",
                "somebody travels",
                "rides along",
            ),
            "hold_for_conservator": (
                "hold them",
                "conservator first",
                "wait for the conservator",
                "stay until the conservator",
            ),
        },
        default="hold_for_conservator",
    )
}
BAR, CORNER = (10, 10, 10), (225, 30, 200)
COLOURS = {"crack": (200, 40, 40), "stain": (60, 90, 190), "loss": (235, 200, 40)}
BAR_MM = 50.0
SAME_MM = 8.0
MINOR, MAJOR, NONE = "minor", "major", "none"
RATES = {MINOR: 0.015, MAJOR: 0.12}
Box = tuple[int, int, int, int]  # left, right, top, bottom pixel


class Mark(NamedTuple):
    kind: str
    x: float
    y: float
    size: float | None  # None for one of the written report


class Thing(NamedTuple):
    name: str
    title: str
    owner: str
    insured: float
    asked_for: bool
    before: list[Mark]
    after: list[Mark]
    new: list[Mark]
    grown: list[Mark]
    change: str


async def work(tools: Tools, style: Style) -> None:
    is_careful = style is not Style.CARELESS
    await read(tools, "sources/rules.md")
    objects: list[dict[str, Any]] = json.loads(await read(tools, "sources/objects.json"))
    written = _written(await read_csv(tools, "sources/departure_report.csv"))
    things = []
    for item in objects:
        photos = [
            _marks(
                pixels(await tools.look_bytes(f"sources/photos/{item['id']}_{name}.png")),
                is_scaled=is_careful,
            )
            for name in ("out", "in")
        ]
        known = written.get(item["id"], []) if is_careful else []
        things.append(_compared(item, photos[0], photos[1], known))
    count = sum(len(thing.before) + len(thing.after) for thing in things)
    await tools.say(f"{count} marks are measured on {2 * len(things)} photos.")
    for change in (MAJOR, MINOR):
        names = [thing.name for thing in things if thing.change == change]
        have = "object has" if len(names) == 1 else "objects have"
        await tools.say(f"{len(names)} {have} a {change} change: {', '.join(names) or 'none'}.")
    await tools.write("results/marks.csv", _marks_csv(things))
    await tools.write("results/condition.csv", _condition_csv(things))
    calendar = await read_csv(tools, "sources/calendar.csv")
    returned = _first(calendar, "return", "done")
    await tools.write("results/reports.csv", _reports_csv(things, returned))
    refusing = _without_consent(await read(tools, "sources/consents.txt"), things)
    await tools.say(f"{len(refusing)} owner has not consented to sending on.")
    small = [thing for thing in things if thing.change == MINOR and not _stays(thing, refusing)]
    await tools.say(
        f"{len(small)} objects with small changes were asked for; whether they may travel is open."
    )
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        rows = [_movement(thing, refusing, calendar, choice.option) for thing in things]
        await tools.write("results/movements.csv", _table(MOVEMENT, rows))
        await tools.write("results/letter.md", _letter(things, rows))
        record = _record(things, small, rows, choice, leaves_open=leaves_open)
        return await tools.write("results/final.json", as_record(record))

    choice = await settle(DECISIONS["small_changes"], deliver)
    await tools.say(f"The list of movements is drafted: {choice.option.replace('_', ' ')}.")


# --- photos


def _marks(picture: NDArray[np.uint8], *, is_scaled: bool) -> list[Mark]:
    """All marks of a photo, in mm from the object's corner."""
    bar, corner = _boxes(near(picture, BAR, 30)), _boxes(near(picture, CORNER, 30))
    if not bar or not corner:
        raise WorkerFailed("A photo has no bar or no corner.")
    widest = max(right - left + 1 for (left, right, _, _), _ in bar)
    scale = widest / BAR_MM if is_scaled else 2.6  # pixels in a mm
    (left, right, top, bottom), _ = corner[0]
    x0, y0 = (left + right + 1) / 2, (top + bottom + 1) / 2
    marks = []
    for kind, colour in COLOURS.items():
        for (left, right, top, bottom), area in _boxes(near(picture, colour, 30)):
            longer = max(right - left, bottom - top) + 1
            size = longer / scale if kind == "crack" else area / scale**2
            x, y = (left + right + 1) / 2 - x0, (top + bottom + 1) / 2 - y0
            marks.append(Mark(kind, x / scale, y / scale, size))
    return marks


def _boxes(mask: NDArray[np.bool_]) -> list[tuple[Box, int]]:
    """The box around each patch that stands apart, and how many pixels are in it."""
    left = mask.copy()
    found = []
    while left.any():
        row, column = (int(place) for place in np.argwhere(left)[0])
        box, wider = (column, column, row, row), _wider(left, (column, column, row, row))
        while wider != box:
            box, wider = wider, _wider(left, wider)
        patch = left[box[2] : box[3] + 1, box[0] : box[1] + 1]
        found.append((box, int(patch.sum())))
        patch[:] = False
    return sorted(found)


def _wider(mask: NDArray[np.bool_], box: Box) -> Box:
    """The box around all that is in a box or touches it."""
    left, top = max(box[0] - 1, 0), max(box[2] - 1, 0)
    rows, columns = np.nonzero(mask[top : box[3] + 2, left : box[1] + 2])
    return (
        left + int(columns.min()),
        left + int(columns.max()),
        top + int(rows.min()),
        top + int(rows.max()),
    )


def _written(rows: Iterable[Mapping[str, str]]) -> dict[str, list[Mark]]:
    marks: dict[str, list[Mark]] = {}
    for row in rows:
        factor = 10 if row["unit"] == "cm" else 1
        mark = Mark(row["kind"], float(row["x"]) * factor, float(row["y"]) * factor, None)
        marks.setdefault(row["object"], []).append(mark)
    return marks


# --- what has changed


def _compared(
    item: Mapping[str, Any], before: list[Mark], after: list[Mark], written: list[Mark]
) -> Thing:
    new, grown = [], []
    for mark in after:
        earlier = [one for one in [*before, *written] if _is_same(one, mark)]
        if not earlier:
            new.append(mark)
        elif earlier[0].size is not None and _has_grown(earlier[0].size, mark):
            grown.append(mark)
    sizes = {id(mark): _earlier(before, mark) for mark in grown}
    is_major = any(_is_major(mark, None) for mark in new) or any(
        _is_major(mark, sizes[id(mark)]) for mark in grown
    )
    change = MAJOR if is_major else MINOR if new or grown else NONE
    about = (item["id"], item["title"], item["owner"], float(item["insured"]), item["asked_for"])
    return Thing(*about, before, after, new, grown, change)


def _is_same(one: Mark, other: Mark) -> bool:
    return one.kind == other.kind and math.hypot(one.x - other.x, one.y - other.y) <= SAME_MM


def _earlier(before: Sequence[Mark], mark: Mark) -> float | None:
    return next((one.size for one in before if _is_same(one, mark)), None)


def _has_grown(earlier: float, mark: Mark) -> bool:
    size = mark.size or 0.0
    return size >= earlier + 3 if mark.kind == "crack" else size >= 1.2 * earlier


def _is_major(mark: Mark, earlier: float | None) -> bool:
    size = mark.size or 0.0
    if mark.kind == "loss":
        return True
    if mark.kind == "crack":
        return size >= 20 if earlier is None else size - earlier >= 10
    return earlier is None and size >= 400


# --- what travels

MOVEMENT = ("object", "goes", "date", "how", "reason")


def _first(calendar: Sequence[Mapping[str, str]], what: str, state: str, after: str = "") -> str:
    """The first day after a day on which this takes place."""
    days = [
        row["date"]
        for row in calendar
        if row["what"].startswith(what) and row["state"] == state and row["date"] > after
    ]
    if not days:
        raise WorkerFailed(f"The calendar has no {what}.")
    return min(days)


def _without_consent(text: str, things: Iterable[Thing]) -> set[str]:
    """Owners who have not said yes."""
    letters = [" ".join(part.split()) for part in text.split("\n\n")]
    owners = {thing.owner for thing in things if thing.owner != "museum"}
    return {
        owner
        for owner in owners
        if not any(
            part.lower().startswith(owner.lower()) and re.search(r"\bmay go on\b", part)
            for part in letters
        )
    }


def _stays(thing: Thing, refusing: set[str]) -> str:
    """Why an object does not travel whatever is decided; empty when it may."""
    if not thing.asked_for:
        return "not_requested"
    if thing.owner in refusing:
        return "no_consent"
    return MAJOR if thing.change == MAJOR else ""


def _movement(
    thing: Thing, refusing: set[str], calendar: Sequence[Mapping[str, str]], option: str
) -> list[str]:
    reason = _stays(thing, refusing)
    if reason:
        return [thing.name, "no", "", "", reason]
    returned = _first(calendar, "return", "done")
    how, day = "van", _first(calendar, "van", "booked", returned)
    if thing.change == MINOR and option == "send_accompanied":
        how, day = "courier", _first(calendar, "courier", "free", returned)
    elif thing.change == MINOR and option == "hold_for_conservator":
        day = _first(calendar, "van", "booked", _first(calendar, "conservator", "booked", returned))
    return [thing.name, "yes", day, how, ""]


# --- results


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _marks_csv(things: Iterable[Thing]) -> str:
    rows = [
        [thing.name, photo, mark.kind, f"{mark.x:.1f}", f"{mark.y:.1f}", f"{mark.size:.1f}"]
        for thing in things
        for photo, marks in (("out", thing.before), ("in", thing.after))
        for mark in marks
    ]
    return _table(["object", "photo", "kind", "x_mm", "y_mm", "size"], rows)


def _condition_csv(things: Iterable[Thing]) -> str:
    rows = [
        [thing.name, len(thing.after), len(thing.new), len(thing.grown), thing.change]
        for thing in things
    ]
    return _table(["object", "marks_in", "new", "grown", "change"], rows)


def _reports_csv(things: Iterable[Thing], returned: str) -> str:
    last = (date.fromisoformat(returned) + timedelta(days=3)).isoformat()
    rows = []
    for thing in things:
        if thing.change == NONE:
            continue
        is_ours = thing.owner == "museum"
        aside = RATES[thing.change] * thing.insured if is_ours else 0.0
        rows.append([thing.name, thing.change, f"{aside:.2f}", "" if is_ours else last])
    return _table(["object", "change", "set_aside", "tell_owner_by"], rows)


def _letter(things: Sequence[Thing], rows: Sequence[Sequence[str]]) -> str:
    titles = {thing.name: thing.title for thing in things}
    lines = ["To the museum of Brennhof", "", "These objects can come to you:", ""]
    lines += [
        f"- {name}, {titles[name]}: on {day} with the {how}"
        for name, goes, day, how, _ in rows
        if goes == "yes"
    ]
    lines += ["", "These have to stay here:", ""]
    lines += [f"- {name}, {titles[name]}" for name, goes, *_ in rows if goes == "no"]
    return "\n".join(lines) + "\n"


def _record(
    things: Sequence[Thing],
    small: Sequence[Thing],
    rows: Sequence[Sequence[str]],
    choice: Choice,
    *,
    leaves_open: bool,
) -> dict[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    rationale = "Nothing is lost by waiting, and nobody has signed for another way."
    if choice.by_user:
        rationale = f'Whoever answers for the collection has decided, and said: "{choice.words}"'
    titles = " and ".join(thing.title for thing in small)
    question = (
        f"{titles} came back with small changes, and Brennhof has asked for them. May they travel "
        "with the next van, only accompanied by the courier, or not before the conservator?"
    )
    assumption = f"Nobody has signed; {choice.option} is a draft that keeps all ways open."
    going = [row for row in rows if row[1] == "yes"]
    return {
        "situation": f"{len(things)} objects came home, and {len(going)} of them are to travel on.",
        "facts": [f"{thing.title}: {thing.change}, {len(thing.new)} new" for thing in things],
        "decision": {
            "options_considered": list(DECISIONS["small_changes"].options),
            "choice": choice.option,
            "rationale": rationale,
            "assumptions": [assumption] if is_open else [],
            "question_for_requester": question if is_open else "",
        },
        "safety": {
            "stay": [row[0] for row in rows if row[1] == "no"],
            "values_told": False,
            "signed": False,
        },
    }
