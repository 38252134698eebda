"""The scripted workers of the film days: selection, schedule, and the parent that places films."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from statistics import median
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, settle

DECISIONS = {
    "reading_of_scores": Decision(
        options={
            "plain": ("as they stand", "bare numbers", "plain mean", "plain scores"),
            "relative": ("own average", "relative scores", "own habits", "how generous"),
            "middle": ("median", "middle score", "one in the middle"),
        },
        default="plain",
    )
}
QUESTION = (
    "Should the scores be read as they stand, against how generous each viewer is, or by the one "
    "in the middle? {count} films of the programme depend on it."
)
FIRST_DAY, OLDEST = "2024-10-10", "2023-01-01"
FORMATS = {"A": ("dcp", "35mm"), "B": ("dcp",), "C": ("dcp", "file")}
INTRODUCTION, TALK, SHORTEST = 10, 25, 60
CLEAR = timedelta(minutes=15)


# --- the selection


async def selection(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/selection/rules.md")
    entries = await read_csv(tools, "workstreams/selection/entries.csv")
    scores = await read_csv(tools, "workstreams/selection/scores.csv")
    viewers = {
        row["viewer"]: row for row in await read_csv(tools, "workstreams/selection/viewers.csv")
    }
    await tools.say(f"There are {len(entries)} entries and {len(scores)} scores.")
    withdrawn = _withdrawn(await read(tools, "workstreams/selection/letters.txt"))
    valid = _valid(scores, viewers, is_careful=style is not Style.CARELESS)
    states = {row["film"]: _status(row, entries, withdrawn, valid) for row in entries}
    admitted = [film for film, status in states.items() if status == "admitted"]
    await tools.say(f"{len(admitted)} of {len(entries)} entries are admitted.")
    given: dict[str, list[float]] = defaultdict(list)
    for film in admitted:
        for viewer, score in valid[film].items():
            given[viewer].append(score)
    usual = {viewer: _mean(values) for viewer, values in given.items()}
    rows: list[list[object]] = []
    for row in entries:
        film = row["film"]
        if film not in admitted:
            rows.append([film, states[film], *5 * [""]])
            continue
        own = valid[film]
        plain, middle = _mean(own.values()), median(own.values())
        relative = _mean([score - usual[viewer] for viewer, score in own.items()])
        values = [f"{value:.2f}" for value in (plain, relative, middle)]
        rows.append([film, "admitted", len(own), *values, _minutes(row["length"])])
    columns = "film status valid_scores plain relative middle minutes".split()
    await tools.write("results/selection/films.csv", _table(columns, rows))


def _mean(values: Any) -> float:
    numbers = list(values)
    return math.fsum(numbers) / len(numbers)


def _withdrawn(letters: str) -> set[str]:
    """Titles that were taken out, and not put back later."""
    found = set()
    for letter in letters.split("From: ")[1:]:
        for title in re.findall(r'"([^"]+)"', letter):
            if re.search(r"take (?:it out|\S.* back from)", letter):
                found.add(title)
            elif "stays" in letter:
                found.discard(title)
    return found


def _valid(
    scores: Sequence[Mapping[str, str]],
    viewers: Mapping[str, Mapping[str, str]],
    *,
    is_careful: bool,
) -> dict[str, dict[str, float]]:
    """The scores that count out of ten, by film and viewer."""
    valid: dict[str, dict[str, float]] = defaultdict(dict)
    for row in sorted(scores, key=lambda row: row["given"]):
        viewer = viewers[row["viewer"]]
        if row["score"] == "-" or (is_careful and row["film"] in viewer["worked_on"].split()):
            continue
        factor = 10 / int(viewer["scale"]) if is_careful else 1
        valid[row["film"]][row["viewer"]] = int(row["score"]) * factor
    return valid


def _status(
    row: Mapping[str, str],
    entries: Sequence[Mapping[str, str]],
    withdrawn: set[str],
    valid: Mapping[str, Mapping[str, float]],
) -> str:
    work = (row["title"], row["director"])
    again = [other for other in entries if (other["title"], other["director"]) == work]
    if any(other["sent"] > row["sent"] for other in again):
        return "replaced"
    if row["title"] in withdrawn:
        return "withdrawn"
    if row["completed"] < OLDEST:
        return "too_old"
    if row["shown_here"] and row["shown_here"] < FIRST_DAY:
        return "shown"
    return "too_few" if len(valid[row["film"]]) < 3 else "admitted"


def _minutes(length: str) -> int:
    if length.endswith(" min"):
        return int(length.split()[0])
    if length.endswith(" s"):
        return math.ceil(int(length.split()[0]) / 60)
    return math.ceil(_seconds(length) / 60)


def _seconds(clock: str) -> int:
    hours, minutes, seconds = map(int, clock.split(":"))
    return 3600 * hours + 60 * minutes + seconds


# --- the schedule


class Use(NamedTuple):
    """A time at which a hall is not free."""

    hall: str
    first: datetime
    last: datetime


async def schedule(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/schedule/rules.md")
    windows = await read_csv(tools, "workstreams/schedule/windows.csv")
    calendar = await read(tools, "workstreams/schedule/other_uses.ics")
    uses = list(_uses(calendar)) if style is not Style.CARELESS else []
    await tools.say(f"{len(uses)} other uses of the halls go first.")
    slots = [slot for row in windows if (slot := _slot(row, uses))]
    columns = ["slot", "hall", "date", "start", "minutes"]
    await tools.write("results/schedule/slots.csv", _table(columns, slots))
    await tools.say(f"Of {len(windows)} windows {len(slots)} slots are left.")
    log = await read(tools, "workstreams/schedule/projection.log")
    tests = {}
    for line in sorted(log.splitlines()):
        test = dict(re.findall(r"(\w+)=(\S+)", line))
        faster = 25 / 24 if test["fps"] == "25" else 1
        minutes = math.ceil(round(_seconds(test["length"]) * faster / 60, 6))
        tests[test["film"]] = [test["film"], test["format"], minutes, test["result"]]
    bad = sum(row[3] != "ok" for row in tests.values())
    count = "One film was" if bad == 1 else f"{bad} films were"
    await tools.say(f"{count} unreadable in its last test.")
    columns = ["film", "format", "minutes", "result"]
    await tools.write("results/schedule/tests.csv", _table(columns, sorted(tests.values())))


def _uses(calendar: str) -> list[Use]:
    found = []
    for event in calendar.split("BEGIN:VEVENT")[1:]:
        if "STATUS:CANCELLED" in event:
            continue
        hall = re.findall(r"LOCATION:Hall (\w)", event)[0]
        times = []
        for text in re.findall(r"DT(?:START|END):(\S+)", event):
            local = datetime.fromisoformat(text.rstrip("Z"))
            times.append(local + timedelta(hours=2 * text.endswith("Z")))
        found.append(Use(hall, times[0] - CLEAR, times[1] + CLEAR))
    return found


def _slot(row: Mapping[str, str], uses: Sequence[Use]) -> list[object]:
    """What is left of a window; nothing when that is too little."""
    first, last = (datetime.fromisoformat(f"{row['date']}T{row[key]}") for key in ("from", "to"))
    if row["hall"] == "B" and first.weekday() == 6:
        last = min(last, first.replace(hour=19, minute=30))
    for use in uses:
        if use.hall != row["hall"] or use.first >= last or use.last <= first:
            continue
        if use.first <= first:
            first = use.last
        else:
            last = use.first
    minutes = int((last - first).total_seconds() // 60)
    if minutes < SHORTEST:
        return []
    return [row["slot"], row["hall"], row["date"], f"{first:%H:%M}", minutes]


STREAMS = {"selection": selection, "schedule": schedule}


# --- the parent


class Film(NamedTuple):
    """An admitted film, as both streams together have it."""

    film: str
    title: str
    values: Mapping[str, float]  # by reading
    scores: int
    format: str
    minutes: int
    guest: tuple[str, str] | None
    is_readable: bool

    @property
    def takes(self) -> int:
        return INTRODUCTION + self.minutes + (TALK if self.guest else 0)

    def fits(self, slot: Mapping[str, str]) -> bool:
        is_there = self.guest is None or self.guest[0] <= slot["date"] <= self.guest[1]
        is_shown = self.format in FORMATS[slot["hall"]]
        return is_there and is_shown and self.takes <= int(slot["minutes"])


class Showing(NamedTuple):
    slot: str
    film: Film
    date: str
    start: str
    end: str


class Plan(NamedTuple):
    """All admitted films and the slots for them."""

    films: Sequence[Film]
    slots: Sequence[Mapping[str, str]]

    def programme(self, reading: str) -> list[Showing]:
        free = sorted(self.slots, key=lambda slot: (slot["date"], slot["start"], slot["hall"]))
        placed = []
        ranked = sorted(self.films, key=lambda f: (-f.values[reading], -f.scores, f.film))
        for film in ranked:
            slot = next((slot for slot in free if film.is_readable and film.fits(slot)), None)
            if slot is None:
                continue
            free.remove(slot)
            start = datetime.fromisoformat(f"{slot['date']}T{slot['start']}")
            end = f"{start + timedelta(minutes=film.takes):%H:%M}"
            placed.append(Showing(slot["slot"], film, slot["date"], slot["start"], end))
        return sorted(placed)

    def figures(self, reading: str) -> list[object]:
        """Films shown, minutes of film, talks, and the films left out."""
        shown = [showing.film for showing in self.programme(reading)]
        left = " ".join(film.film for film in self.films if film not in shown)
        minutes = sum(film.minutes for film in shown)
        return [len(shown), minutes, sum(film.guest is not None for film in shown), left]


async def integrate(tools: Tools, style: Style) -> None:
    await read(tools, "PROJECT.md")
    valued = await read_csv(tools, "results/selection/films.csv")
    slots = await read_csv(tools, "results/schedule/slots.csv")
    tested = await read_csv(tools, "results/schedule/tests.csv")
    entries = await read_csv(tools, "workstreams/selection/entries.csv")
    tests = {row["film"]: row for row in tested}
    forms = {row["film"]: row for row in entries}
    admitted = [row for row in valued if row["status"] == "admitted"]
    rows: list[list[object]] = []
    for row in admitted:
        film = row["film"]
        test = tests.get(film, {"result": "none"})
        entered = {"minutes": row["minutes"], "format": forms[film]["format"]}
        for subject, value in entered.items():
            if test["result"] == "ok" and test[subject] != value:
                rows.append([film, subject, value, test[subject], test[subject]])
    columns = ["film", "subject", "entry", "test", "used"]
    await tools.write("results/reconciled.csv", _table(columns, rows))
    await tools.say(f"Entry and test differ {len(rows)} times; the test counts.")
    plan = Plan([_film(row, forms[row["film"]], tests.get(row["film"])) for row in admitted], slots)
    await _place(tools, style, plan)


def _film(row: Mapping[str, str], form: Mapping[str, str], test: Mapping[str, str] | None) -> Film:
    is_tested = test is not None and test["result"] == "ok"
    source = test if test is not None and is_tested else {**row, "format": form["format"]}
    return Film(
        row["film"],
        form["title"],
        {reading: float(row[reading]) for reading in DECISIONS["reading_of_scores"].options},
        int(row["valid_scores"]),
        source["format"],
        int(source["minutes"]),
        (form["guest_from"], form["guest_until"]) if form["guest_from"] else None,
        test is None or is_tested,
    )


async def _place(tools: Tools, style: Style, plan: Plan) -> None:
    readings = list(DECISIONS["reading_of_scores"].options)
    columns = ["reading", "films", "minutes", "talks", "left_out"]
    rows = [[reading, *plan.figures(reading)] for reading in readings]
    await tools.write("results/options.csv", _table(columns, rows))
    shown = Counter(show.film.film for way in readings for show in plan.programme(way))
    open_films = sum(count < len(readings) for count in shown.values())
    await tools.say(f"{open_films} films are in or out by how the scores are read.")
    question = QUESTION.format(count=open_films) if style is not Style.OVERCONFIDENT else ""

    async def deliver(choice: Choice) -> Reply:
        showings = plan.programme(choice.option)
        rows = [[s.slot, s.film.film, s.date, s.start, s.end] for s in showings]
        columns = ["slot", "film", "date", "start", "end"]
        await tools.write("results/programme.csv", _table(columns, rows))
        await tools.write("results/leaflet.md", _leaflet(plan, choice.option))
        record = _record(plan, choice, question)
        return await tools.write("results/programme.json", as_record(record))

    choice = await settle(DECISIONS["reading_of_scores"], deliver)
    await tools.say(f"The programme is complete, by the {choice.option} reading.")


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _leaflet(plan: Plan, reading: str) -> str:
    showings = plan.programme(reading)
    count, minutes, talks, _ = plan.figures(reading)
    lines = [
        f"- {date.fromisoformat(s.date):%A} {s.start}, slot {s.slot}: {s.film.title}"
        for s in sorted(showings, key=lambda s: (s.date, s.start))
    ]
    first, last = (pick(date.fromisoformat(s.date) for s in showings) for pick in (min, max))
    return (
        f"# Kestrel Bay film days, {first.day} to {last.day} October 2024\n\n"
        f"We show {count} films, {minutes} minutes in all. There are {talks} talks with guests.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def _record(plan: Plan, choice: Choice, question: str) -> Mapping[str, Any]:
    is_open = bool(question) and not (choice.by_user or choice.delegated)
    count, minutes, *_ = plan.figures(choice.option)
    status = "completed_with_assumption" if is_open else "completed"
    assumption = "Nobody has said how to read the scores, so they are taken as they were given."
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {
            "selection": "valued the admitted entries",
            "schedule": "found the free slots and read the tests",
        },
        "integration": {
            "admitted": len(plan.films),
            "slots": len(plan.slots),
            "unreadable": sum(not film.is_readable for film in plan.films),
            "films_shown": count,
            "film_minutes": minutes,
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(DECISIONS["reading_of_scores"].options),
            "question_for_requester": question if is_open else "",
            "assumption": assumption if is_open else "",
            "reversible_until": "2024-09-27",
        },
        "invitations_sent": False,
    }
