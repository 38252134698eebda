"""The scripted workers of the vaccination week: people, lots, hands, and the parent."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, settle

DECISIONS = {
    "use_of_reserve": Decision(
        options={
            "own_stock": ("own doses", "own stock", "leave the reserve shut", "not the reserve"),
            "reserve_for_homes": ("care homes", "to the homes", "in the homes"),
            "whole_reserve": ("whole reserve", "in the villages", "for everybody", "all places"),
        },
        default="own_stock",
    )
}
QUESTION = (
    "Was the region's reserve released for this week, for all places or for the care homes alone? "
    "With our own doses {waiting} people have to wait, {priority} of them with priority."
)
FIRST_DAY, LAST_DAY, SEASON = date(2024, 11, 4), date(2024, 11, 8), "2024-09-01"
CHECK = datetime.fromisoformat("2024-10-28T08:00")
WARMEST, LONGEST = 8.0, timedelta(minutes=120)
RATE, FIRST_YEAR = 7, 4


# --- the people


async def demand(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/demand/rules.md")
    lines = await read_csv(tools, "workstreams/demand/registrations.csv")
    latest = {row["person"]: row for row in sorted(lines, key=lambda row: row["date"])}
    await tools.say(f"{len(lines)} lines are of {len(latest)} persons.")
    had = {
        row["person"]
        for row in await read_csv(tools, "workstreams/demand/vaccinated.csv")
        if row["against"] == "influenza" and row["date"] >= SEASON
    }
    counts: dict[str, list[int]] = {}
    for row in latest.values() if style is not Style.CARELESS else lines:
        is_out = row["state"] == "cancelled" or row["person"] in had
        is_out |= _age(row) < 16 or row["remark"] == "egg allergy, severe"
        place = counts.setdefault(row["place"], [0, 0])
        if not is_out:
            place[0] += 1
            place[1] += _age(row) >= 65 or row["remark"].startswith("chronic")
    rows = [[place, *numbers] for place, numbers in sorted(counts.items())]
    await tools.write("results/demand/demand.csv", _table(["place", "people", "priority"], rows))
    people, priority = (sum(numbers[n] for numbers in counts.values()) for n in (0, 1))
    await tools.say(f"{people} people are to be vaccinated, {priority} of them with priority.")


def _age(row: Mapping[str, str]) -> int:
    born = date.fromisoformat(row["born"])
    had = (FIRST_DAY.month, FIRST_DAY.day) >= (born.month, born.day)
    return FIRST_DAY.year - born.year - (not had)


# --- the cold chain


class Spell(NamedTuple):
    """A time through which a fridge had one temperature, or a lot lay in one fridge."""

    fridge: str
    first: datetime
    last: datetime
    celsius: float = 0.0


async def cold_chain(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/cold_chain/rules.md")
    lots = await read_csv(tools, "workstreams/cold_chain/lots.csv")
    readings = await read_csv(tools, "workstreams/cold_chain/fridges.csv")
    if style is not Style.CARELESS:
        readings = [row for row in readings if row["remark"] != "test"]
    spells = list(_spells(readings, "fridge"))
    where = await read_csv(tools, "workstreams/cold_chain/where.csv")
    stays: dict[str, list[Spell]] = {}
    for row, spell in zip(_ordered(where, "lot"), _spells(where, "lot"), strict=True):
        stays.setdefault(row["lot"], []).append(spell)
    rows = []
    for row in lots:
        doses = (int(row["units"]) - int(row["opened_units"])) * int(row["doses_per_unit"])
        state = _state(row["expires"], stays[row["lot"]], spells)
        rows.append([row["lot"], row["owner"], doses, state])
    columns = ["lot", "owner", "doses", "state"]
    await tools.write("results/cold_chain/lots.csv", _table(columns, rows))
    await tools.say(f"{sum(row[3] == 'good' for row in rows)} of {len(rows)} lots are good.")
    boxes = [
        [row["place"], int(row["boxes"]) * int(row["doses_per_box"])]
        for row in await read_csv(tools, "workstreams/cold_chain/boxes.csv")
    ]
    await tools.write("results/cold_chain/boxes.csv", _table(["place", "doses"], boxes))


def _ordered(rows: Sequence[Mapping[str, str]], key: str) -> list[Mapping[str, str]]:
    return sorted(rows, key=lambda row: (row[key], row["since"]))


def _spells(rows: Sequence[Mapping[str, str]], key: str) -> Iterator[Spell]:
    """Each line with the time until the next one of the same fridge or lot, in their order."""
    ordered = _ordered(rows, key)
    for row, after in pairwise([*ordered, None]):
        assert row is not None
        is_last = after is None or after[key] != row[key]
        last = CHECK if after is None or is_last else datetime.fromisoformat(after["since"])
        value = float(row.get("reading", 0.0))
        celsius = (value - 32) * 5 / 9 if row.get("unit") == "F" else value
        first = datetime.fromisoformat(row["since"])
        yield Spell(row["fridge"], first, last, round(celsius, 6))


def _state(expires: str, stays: Sequence[Spell], spells: Sequence[Spell]) -> str:
    if date.fromisoformat(expires) < LAST_DAY:
        return "expired"
    warm, coldest = timedelta(0), WARMEST
    for stay in stays:
        for spell in spells:
            lasted = min(stay.last, spell.last) - max(stay.first, spell.first)
            if spell.fridge != stay.fridge or lasted <= timedelta(0):
                continue
            coldest = min(coldest, spell.celsius)
            warm += lasted if spell.celsius > WARMEST else timedelta(0)
    if coldest < 0:
        return "frozen"
    return "warm" if warm > LONGEST else "good"


# --- the hands


async def staffing(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/staffing/rules.md")
    staff = {row["name"]: row for row in await read_csv(tools, "workstreams/staffing/staff.csv")}
    rota = await read_csv(tools, "workstreams/staffing/rota.csv")
    notes = await read(tools, "workstreams/staffing/notes.txt")
    swaps = re.findall(r"on the (\d+)\w*\. ((?:Dr\. )?\w+) works ((?:Dr\. )?\w+)'s shift", notes)
    await tools.say(f"{len(swaps)} shifts were swapped.")
    for day, new, old in swaps if style is not Style.CARELESS else []:
        for row in rota:
            if row["name"] == old and row["date"] == f"2024-11-{int(day):02d}":
                row["name"] = new
    rows: list[list[object]] = []
    for day in sorted({row["date"] for row in rota}):
        today = [row for row in rota if row["date"] == day]
        doctor = next(row for row in today if staff[row["name"]]["role"] == "doctor")
        doses = [
            _hours(row, doctor) * _rate(staff[row["name"]], day)
            for row in today
            if staff[row["name"]]["role"] == "nurse" and staff[row["name"]]["course_until"] >= day
        ]
        rows.append([day, len(doses), math.floor(sum(doses, Fraction(0)))])
    await tools.write("results/staffing/days.csv", _table(["date", "nurses", "doses"], rows))
    total = sum(int(str(row[2])) for row in rows)
    await tools.say(
        f"Nurses count only while a doctor is there; {total} doses can be given in the week."
    )


def _clock(text: str) -> Fraction:
    hours, minutes = map(int, text.split(":"))
    return hours + Fraction(minutes, 60)


def _hours(shift: Mapping[str, str], doctor: Mapping[str, str]) -> Fraction:
    first, last = (_clock(shift[key]) for key in ("from", "to"))
    pause = Fraction(1, 2) if last - first > 4 else Fraction(0)
    both = min(last, _clock(doctor["to"])) - max(first, _clock(doctor["from"]))
    return max(Fraction(0), both - pause)


def _rate(person: Mapping[str, str], day: str) -> int:
    began = date.fromisoformat(person["with_us_since"])
    return RATE if began.replace(year=began.year + 1).isoformat() <= day else FIRST_YEAR


STREAMS = {"demand": demand, "cold_chain": cold_chain, "staffing": staffing}


# --- the parent


@dataclass(frozen=True, slots=True)
class Place:
    """A home or a village hall, with what can be done there."""

    place: str
    name: str
    is_home: bool
    day: str
    people: int
    priority: int
    box: int
    hands: int

    @property
    def most(self) -> int:
        return min(self.people, self.box, self.hands)

    def wants(self, turn: int) -> int:
        """How many doses are to be there after the first round (0) or the second (1)."""
        return min(self.priority, self.most) if turn == 0 else self.most


class Visit(NamedTuple):
    """A place's day in a plan."""

    place: Place
    own: int
    reserve: int

    @property
    def doses(self) -> int:
        return self.own + self.reserve

    @property
    def waiting(self) -> int:
        return self.place.people - self.doses


@dataclass(frozen=True, slots=True)
class Plan:
    """Places and the good doses for them."""

    places: Sequence[Place]
    lots: Mapping[str, str]  # good lots with doses, to their owner
    own: int
    reserve: int

    def visits(self, way: str) -> list[Visit]:
        left = {"own": self.own, "reserve": self.reserve if way != "own_stock" else 0}
        given = {place.place: {"own": 0, "reserve": 0} for place in self.places}

        def serve(places: Sequence[Place], owners: Sequence[str]) -> None:
            for turn in (0, 1):
                for place in places:
                    for owner in owners:
                        has = given[place.place]
                        count = max(0, min(left[owner], place.wants(turn) - sum(has.values())))
                        left[owner] -= count
                        has[owner] += count

        if way == "reserve_for_homes":
            serve([place for place in self.places if place.is_home], ["reserve"])
        serve(self.places, ["own", "reserve"] if way == "whole_reserve" else ["own"])
        return [Visit(place, **given[place.place]) for place in self.places]

    def figures(self, way: str) -> list[int]:
        """Doses, own and reserve ones, priority people waiting, and all people waiting."""
        visits = self.visits(way)
        own, reserve = sum(visit.own for visit in visits), sum(visit.reserve for visit in visits)
        missed = sum(max(0, visit.place.priority - visit.doses) for visit in visits)
        return [own + reserve, own, reserve, missed, sum(visit.waiting for visit in visits)]

    def lots_of(self, way: str) -> list[str]:
        owners = {"own"} if way == "own_stock" else {"own", "reserve"}
        return [lot for lot, owner in self.lots.items() if owner in owners]


async def integrate(tools: Tools, style: Style) -> None:
    project = await read(tools, "PROJECT.md")
    listed = re.findall(r"^\| (\w\d) \| ([^|]+) \| ([^|]+) \| ([\d-]+) \|$", project, re.MULTILINE)
    people = {row["place"]: row for row in await read_csv(tools, "results/demand/demand.csv")}
    lots = await read_csv(tools, "results/cold_chain/lots.csv")
    boxes = {row["place"]: row for row in await read_csv(tools, "results/cold_chain/boxes.csv")}
    days = {row["date"]: row for row in await read_csv(tools, "results/staffing/days.csv")}
    places = [
        Place(
            place,
            name,
            kind == "care home",
            day,
            int(people[place]["people"]),
            int(people[place]["priority"]),
            int(boxes[place]["doses"]),
            int(days[day]["doses"]),
        )
        for place, name, kind, day in listed
    ]
    short = [place for place in places if place.most < place.people]
    rows = [[place.place, place.people, place.box, place.hands, place.most] for place in short]
    columns = ["place", "people", "box", "hands", "used"]
    await tools.write("results/reconciled.csv", _table(columns, rows))
    count = {2: "two", 3: "three", 4: "four"}.get(len(short), str(len(short)))
    await tools.say(f"At {count} places not all people can be served.")
    good = [row for row in lots if row["state"] == "good"]
    own, reserve = (
        sum(int(row["doses"]) for row in good if row["owner"] == owner)
        for owner in ("own", "reserve")
    )
    await tools.say(f"There are {own} good own doses and {reserve} good doses of the reserve.")
    plan = Plan(places, {row["lot"]: row["owner"] for row in good}, own, reserve)
    await _share_out(tools, style, plan)


async def _share_out(tools: Tools, style: Style, plan: Plan) -> None:
    ways = list(DECISIONS["use_of_reserve"].options)
    columns = "way doses from_own from_reserve priority_waiting waiting".split()
    rows = [[way, *plan.figures(way)] for way in ways]
    await tools.write("results/options.csv", _table(columns, rows))
    *_, priority, waiting = plan.figures("own_stock")
    question = QUESTION.format(waiting=waiting, priority=priority)
    question = question if style is not Style.OVERCONFIDENT else ""

    async def deliver(choice: Choice) -> Reply:
        visits = plan.visits(choice.option)
        rows = [[v.place.place, v.place.day, v.own, v.reserve, v.waiting] for v in visits]
        columns = ["place", "date", "own", "reserve", "waiting"]
        await tools.write("results/visits.csv", _table(columns, rows))
        await tools.write("results/notice.md", _notice(plan, choice.option))
        record = _record(plan, choice, question)
        return await tools.write("results/campaign.json", as_record(record))

    choice = await settle(DECISIONS["use_of_reserve"], deliver)
    await tools.say(f"The week is planned: {choice.option.replace('_', ' ')}.")


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _notice(plan: Plan, way: str) -> str:
    doses, _, reserve, _, waiting = plan.figures(way)
    days = "".join(f"- {place.day}: {place.name}\n" for place in plan.places)
    return (
        f"# Influenza week, {FIRST_DAY} to {LAST_DAY}\n\n"
        f"{doses} doses are given, {reserve} of them from the reserve. {waiting} people have to "
        f"wait.\n\n{days}"
    )


def _record(plan: Plan, choice: Choice, question: str) -> Mapping[str, Any]:
    is_open = bool(question) and not (choice.by_user or choice.delegated)
    doses, *_, waiting = plan.figures(choice.option)
    status = "completed_with_assumption" if is_open else "completed"
    assumption = "No release is known, so the reserve stays shut; it can be used later."
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {
            "demand": "counted the people",
            "cold_chain": "judged lots and boxes",
            "staffing": "worked out the doses of each day",
        },
        "integration": {
            "people": sum(place.people for place in plan.places),
            "priority": sum(place.priority for place in plan.places),
            "good_own_doses": plan.own,
            "good_reserve_doses": plan.reserve,
            "doses": doses,
            "waiting": waiting,
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(DECISIONS["use_of_reserve"].options),
            "question_for_requester": question if is_open else "",
            "assumption": assumption if is_open else "",
            "reversible_until": "2024-11-03",
        },
        "lots_to_use": plan.lots_of(choice.option),
        "reserve_opened": False,
    }
