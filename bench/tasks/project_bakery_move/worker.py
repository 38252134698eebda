"""The scripted workers of the bakery's move: three streams, and the parent that integrates."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "way_to_move": Decision(
        options={
            "one_stop": (
                "stop baking",
                "all in one go",
                "all at once",
                "shut for the days",
                "one stop",
            ),
            "two_halves": (
                "two halves",
                "one oven first",
                "half first",
                "keep the other hot",
                "bread every morning",
            ),
            "night_by_night": ("night by night", "by night", "in the evenings", "each evening"),
        },
        default="one_stop",
    )
}
QUESTION = (
    "May the baking stop for the move, with {without} mornings without bread, or must one oven "
    "keep baking while the other moves, which costs {more} more?"
)
FIRST_DAY = date(2024, 9, 15)
NO_POWER = date(2024, 9, 18)
KILOGRAMS = {"kg": 1.0, "sack": 25.0, "lb": 0.4536, "L": 0.92}
PALLET, CRATE, VAN, LORRY, HANDS, BAKERS = 600, 12, 6, 4, 4, 3
TRIP, VAN_TRIP, MORNING, DRIVER, HAND, FITTER, TWO_HOUSES = 340, 85, 580, 260, 190, 310, 260
CABINETS = ("C1", "C2", "C3")


# --- the stock


async def stock(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/stock/counting.md")
    lines = await read_csv(tools, "workstreams/stock/count_thursday.csv")
    again = await read_csv(tools, "workstreams/stock/recount_friday.csv")
    await tools.say(f"{len(lines)} lines, of which {len(again)} lines were counted again.")
    is_careful = style is not Style.CARELESS
    if is_careful:
        newer = {(line["shelf"], line["item"]): line for line in again}
        lines = [newer.get((line["shelf"], line["item"]), line) for line in lines]
    left: dict[str, float] = defaultdict(float)
    written_off = 0.0
    for line in lines:
        weight = float(line["quantity"]) * (KILOGRAMS[line["unit"]] if is_careful else 1.0)
        if line["state"].startswith("lent"):
            continue
        if _is_off(line):
            written_off += weight
        else:
            left[f"{line['item']}@{line['place']}"] += weight
    await tools.say(f"{written_off:.1f} kg of these goods are written off.")
    usage = await read(tools, "workstreams/stock/usage.ini")
    used = dict(re.findall(r"^(\S+) = ([\d.]+)$", usage, re.MULTILINE))
    moved = {name: weight - 2 * float(used[name]) for name, weight in left.items()}
    moved = {name: weight for name, weight in sorted(moved.items()) if weight > 0}
    rows = [[*name.split("@"), f"{weight:.1f}"] for name, weight in moved.items()]
    await tools.write("results/stock/to_move.csv", _table(["item", "place", "kg"], rows))
    by_place: dict[str, float] = defaultdict(float)
    for name, weight in moved.items():
        by_place[name.split("@")[1]] += weight
    loads = {
        "dry_kg": round(by_place["dry"], 1),
        "crates": {place: math.ceil(by_place[place] / CRATE - 1e-9) for place in CABINETS},
        "written_off_kg": round(written_off, 1),
    }
    await tools.write("results/stock/loads.json", as_record(loads))


def _is_off(line: Mapping[str, str]) -> bool:
    is_open = line["state"] == "open" and line["item"] in ("walnuts", "sesame")
    return is_open or _day(line["best_before"]) < FIRST_DAY


def _day(text: str) -> date:
    return date.fromisoformat("-".join(text.split("/")[::-1]))


# --- the machines


async def equipment(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/equipment/handling.md")
    data = await read_json(tools, "workstreams/equipment/machines.json")
    found = sorted(data["inspections"], key=lambda item: str(item["seen"]))
    latest = {item["serial"]: item for item in found}
    await tools.say(f"{len(found)} inspections are of {len(latest)} machines.")
    rows = []
    for item in sorted(latest.values(), key=lambda item: str(item["machine"])):
        fate = _fate(item) if style is not Style.CARELESS else "move"
        weight = _weight(item)
        way = ("gate" if _by_gate(item, weight) else "door") if fate == "move" else "-"
        rows.append([item["machine"], fate, way, weight, item.get("load_cell_kg", "")])
    columns = ["machine", "fate", "way", "weight_kg", "load_kg"]
    await tools.write("results/equipment/machines.csv", _table(columns, rows))
    moving = sum(row[1] == "move" for row in rows)
    await tools.say(f"{moving} of {len(rows)} machines move, the rest is returned or left.")


def _fate(item: Mapping[str, Any]) -> str:
    note = str(item["note"])
    if item["owner"] == "leased" and "bought out" not in note:
        return "return"
    return "leave" if "sold" in note or "stays with" in note else "move"


def _weight(item: Mapping[str, Any]) -> int:
    weight = item["weight"]
    return round(float(weight["value"]) * KILOGRAMS[weight["unit"]])


def _by_gate(item: Mapping[str, Any], weight: int) -> bool:
    size = item["size"]
    narrow = min(size["width"], size["depth"]) * (2.54 if size["unit"] == "in" else 1.0)
    return narrow + 4 > 110 + 1e-9 or weight >= 250


# --- the people


class Ticket(NamedTuple):
    kind: str
    limit: int
    until: date


async def staffing(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/staffing/rules.md")
    people = await read_csv(tools, "workstreams/staffing/people.csv")
    rota = await read_csv(tools, "workstreams/staffing/rota.csv")
    shifts = {(row["name"], row["date"]) for row in rota if _hours(row) >= 5}
    await tools.say(f"The rota has {len(rota)} shifts, {len(shifts)} of them long enough to help.")
    swaps = await read(tools, "workstreams/staffing/swaps.txt")
    for number, one, other in re.findall(r"(\d+) Sept: (\w+) works the shift of (\w+)", swaps):
        day = f"2024-09-{int(number):02d}"
        if (other, day) in shifts:
            shifts.discard((other, day))
            shifts.add((one, day))
    leave = _leave(await read(tools, "workstreams/staffing/leave.ics"))
    await tools.say(f"{len(leave)} leaves are confirmed.")
    if style is Style.CARELESS:
        leave = []
    rows = [_row(FIRST_DAY + timedelta(number), people, shifts, leave) for number in range(14)]
    columns = ["date", "hands", "drivers", "fitters"]
    await tools.write("results/staffing/available.csv", _table(columns, rows))


def _row(
    day: date,
    people: Sequence[Mapping[str, str]],
    shifts: set[tuple[str, str]],
    leave: Sequence[tuple[str, date, date]],
) -> list[object]:
    here = []
    for person in sorted(people, key=lambda person: person["name"]):
        name, born = person["name"], date.fromisoformat(person["born"])
        is_away = any(who == name and first <= day < end for who, first, end in leave)
        is_adult = born.replace(year=born.year + 18) <= day
        if (name, day.isoformat()) in shifts and is_adult and not is_away:
            here.append((name, [item for item in _tickets(person) if item.until >= day]))
    drivers = [f"{name}:{t.limit}" for name, held in here for t in held if t.kind == "forklift"]
    fitters = [name for name, held in here for t in held if t.kind == "gas"]
    return [day.isoformat(), len(here), " ".join(drivers), " ".join(fitters)]


def _hours(row: Mapping[str, str]) -> float:
    first, last = (int(row[key][:2]) + int(row[key][3:]) / 60 for key in ("from", "to"))
    return last - first if last >= first else last + 24 - first


def _tickets(person: Mapping[str, str]) -> Iterator[Ticket]:
    for text in filter(None, person["tickets"].split("; ")):
        words = text.split()
        limit = int(words[1]) if words[0] == "forklift" else 0
        yield Ticket(words[0], limit, date.fromisoformat(words[-1]))


def _leave(calendar: str) -> list[tuple[str, date, date]]:
    """Who is away, from the first day to the day of return."""
    found = []
    for event in calendar.split("BEGIN:VEVENT")[1:]:
        if "STATUS:CANCELLED" in event:
            continue
        first, end = re.findall(r"DT(?:START|END);VALUE=DATE:(\d{8})", event)
        name = re.findall(r"SUMMARY:Leave (\w+)", event)[0]
        found.append((name, date.fromisoformat(first), date.fromisoformat(end)))
    return found


STREAMS = {"stock": stock, "equipment": equipment, "staffing": staffing}


# --- the parent


class Helpers(NamedTuple):
    """Who can help on a day, as the staffing stream has it."""

    hands: int
    drivers: Mapping[str, int]  # with the load that each may drive
    fitters: Sequence[str]


class Stint(NamedTuple):
    """One day of the move: a line of the timetable."""

    day: date
    what: str
    trips: int
    own: int
    hired: int
    leader: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What the parent knows once its children's results are reconciled."""

    pallets: int
    places: int
    crates: int
    heaviest: int
    carried: tuple[str, ...]
    helpers: Mapping[str, Helpers]

    @property
    def trips(self) -> int:
        return math.ceil((self.pallets + self.places) / LORRY)

    def drivers(self, day: str) -> list[str]:
        limits = self.helpers[day].drivers.items()
        return sorted(name for name, limit in limits if limit >= self.heaviest)

    def timetable(self, way: str) -> list[Stint]:
        """The days of a way, with who helps on each."""
        parts = _parts(way, self.trips)
        return [
            self._stint(way, day, trips)
            for day, trips in zip(_days(len(parts)), parts, strict=True)
        ]

    def _stint(self, way: str, day: date, trips: int) -> Stint:
        helpers = self.helpers[day.isoformat()]
        if not trips:
            return Stint(day, "test", 0, 0, 0, sorted([*helpers.fitters, "hired"])[0])
        drivers = self.drivers(day.isoformat())
        busy = bool(drivers) + (BAKERS if way != "one_stop" and day.weekday() < 6 else 0)
        own = max(0, min(HANDS, helpers.hands - busy))
        return Stint(day, "move", trips, own, HANDS - own, drivers[0] if drivers else "hired")

    def mornings(self, way: str) -> int:
        """Baking days on which there is no bread."""
        days = [stint.day for stint in self.timetable(way)]
        if way == "two_halves":
            return 0
        if way == "night_by_night":
            return int(days[-1].weekday() < 6)
        return sum(day.weekday() < 6 for day in _span(days))

    def cost(self, way: str) -> int:
        stints = self.timetable(way)
        total = TRIP * self.trips + VAN_TRIP * math.ceil(self.crates / VAN)
        total += MORNING * self.mornings(way)
        for stint in stints:
            outside = DRIVER if stint.what == "move" else FITTER
            total += HAND * stint.hired + (outside if stint.leader == "hired" else 0)
        if way == "two_halves":
            total += TWO_HOUSES * len(_span([stint.day for stint in stints]))
        return total


async def integrate(tools: Tools, style: Style) -> None:
    await read(tools, "PROJECT.md")
    moved = await read_csv(tools, "results/stock/to_move.csv")
    loads = await read_json(tools, "results/stock/loads.json")
    machines = await read_csv(tools, "results/equipment/machines.csv")
    available = await read_csv(tools, "results/staffing/available.csv")
    ledger = sum(float(row["kg"]) for row in moved if row["place"] == "silo")
    cell = sum(float(row["load_kg"]) for row in machines if row["load_kg"])
    await tools.say(
        f"Ledger and load cell of the silo do not agree: {ledger:.0f} against {cell:.0f} kg."
    )
    inspected = await read_json(tools, "workstreams/equipment/machines.json")
    cabinets = _cabinets(inspected["inspections"])
    plan = _reconciled(loads, machines, available, cabinets, cell)
    rows = _reconciliation(plan, loads, available, ledger, cell)
    columns = ["subject", "one_stream", "other_stream", "used"]
    await tools.write("results/reconciled.csv", _table(columns, rows))
    await tools.say(f"{plan.crates} crates lose their cabinet and need the cooled van.")
    await tools.say(f"The lorry has to drive {plan.trips} times, whichever way it is.")
    ways = list(DECISIONS["way_to_move"].options)
    await tools.write("results/options.csv", _options(plan, ways))
    costs = ", ".join(f"{way.replace('_', ' ')} {plan.cost(way)}" for way in ways)
    await tools.say(f"The three ways cost {costs}.")
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        stints = plan.timetable(choice.option)
        columns = ["date", "what", "trips", "own_hands", "hired_hands", "leader"]
        await tools.write("results/timetable.csv", _table(columns, stints))
        await tools.write("results/notice.md", _notice(plan, choice.option))
        record = _record(plan, choice, leaves_open=leaves_open)
        return await tools.write("results/move.json", as_record(record))

    choice = await settle(DECISIONS["way_to_move"], deliver)
    await tools.say(f"The timetable is complete: {choice.option.replace('_', ' ')}.")


def _reconciled(
    loads: Mapping[str, Any],
    machines: Sequence[Mapping[str, str]],
    available: Sequence[Mapping[str, str]],
    cabinets: Mapping[str, str],
    cell: float,
) -> Plan:
    carried = [row for row in machines if row["fate"] == "move"]
    numbers = {row["machine"] for row in carried}
    homeless = [place for place, machine in cabinets.items() if machine not in numbers]
    return Plan(
        pallets=math.ceil((loads["dry_kg"] + cell) / PALLET - 1e-9),
        places=sum(2 if row["way"] == "gate" else 1 for row in carried),
        crates=sum(loads["crates"][place] for place in homeless),
        heaviest=max(int(row["weight_kg"]) for row in carried if row["way"] == "gate"),
        carried=tuple(sorted(numbers)),
        helpers={row["date"]: _helpers(row) for row in available},
    )


def _cabinets(inspections: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The machine that each cooled cabinet is, by the cabinet's name."""
    return {
        item["name"].split()[-1]: item["machine"]
        for item in inspections
        if item["name"].startswith("cooled cabinet")
    }


def _helpers(row: Mapping[str, str]) -> Helpers:
    drivers = dict(item.split(":") for item in row["drivers"].split())
    limits = {name: int(limit) for name, limit in drivers.items()}
    return Helpers(int(row["hands"]), limits, row["fitters"].split())


def _reconciliation(
    plan: Plan,
    loads: Mapping[str, Any],
    available: Sequence[Mapping[str, str]],
    ledger: float,
    cell: float,
) -> list[list[object]]:
    ticketed = {item.split(":")[0] for row in available for item in row["drivers"].split()}
    able = {name for row in available for name in plan.drivers(row["date"])}
    cooled = sum(loads["crates"].values())
    return [
        ["silo_flour_kg", f"{ledger:.0f}", f"{cell:.0f}", f"{cell:.0f}"],
        ["cooled_van_crates", f"{cooled} in cabinets", "two cabinets do not move", plan.crates],
        ["drivers", " ".join(sorted(ticketed)), f"{plan.heaviest} kg", " ".join(sorted(able))],
    ]


def _days(count: int) -> list[date]:
    """That many days from the first, without the one that has no electricity."""
    days = (FIRST_DAY + timedelta(number) for number in range(count + 1))
    return [day for day in days if day != NO_POWER][:count]


def _parts(way: str, trips: int) -> list[int]:
    """Trips by day; 0 is a day for a test."""
    if way == "one_stop":
        return [*_spread(trips, 3), 0]
    if way == "night_by_night":
        return [*_spread(trips, 1), 0]
    half = math.ceil(trips / 2)
    return [*_spread(half, 2), 0, *_spread(trips - half, 2), 0]


def _spread(trips: int, a_day: int) -> list[int]:
    return [min(a_day, trips - done) for done in range(0, trips, a_day)]


def _span(days: Sequence[date]) -> list[date]:
    return [days[0] + timedelta(number) for number in range((days[-1] - days[0]).days + 1)]


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _options(plan: Plan, ways: Sequence[str]) -> str:
    columns = ["way", "trips", "move_days", "last_day", "mornings_without_bread", "cost"]
    rows = []
    for way in ways:
        stints = plan.timetable(way)
        moving = sum(stint.what == "move" for stint in stints)
        last = stints[-1].day.isoformat()
        rows.append([way, plan.trips, moving, last, plan.mornings(way), plan.cost(way)])
    return _table(columns, rows)


def _notice(plan: Plan, way: str) -> str:
    stints = plan.timetable(way)
    without = plan.mornings(way)
    bread = f"On {without} mornings there is no bread." if without else "There is bread every day."
    mornings = f"Mornings without bread: {without}."
    return (
        "# We move to Tanner's Yard\n\n"
        f"The bakery moves from {stints[0].day} to {stints[-1].day}. {bread} {mornings}\n\n"
        f"The lorry makes {plan.trips} trips. The whole move costs {plan.cost(way)}.\n"
    )


def _record(plan: Plan, choice: Choice, *, leaves_open: bool) -> Mapping[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    more = plan.cost("two_halves") - plan.cost("one_stop")
    question = QUESTION.format(without=plan.mornings("one_stop"), more=more)
    assumption = "Nobody has promised bread for these days, so the cheapest way is planned."
    status = "completed_with_assumption" if is_open else "completed"
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {
            "stock": "weighed what is carried",
            "equipment": "sorted the machines",
            "staffing": "listed who can help",
        },
        "integration": {
            "pallets": plan.pallets,
            "machine_places": plan.places,
            "trips": plan.trips,
            "cooled_van_crates": plan.crates,
            "mornings_without_bread": plan.mornings(choice.option),
            "cost": plan.cost(choice.option),
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(DECISIONS["way_to_move"].options),
            "question_for_requester": question if is_open else "",
            "assumption": assumption if is_open else "",
            "reversible_until": "2024-09-11",
        },
        "machines_carried": list(plan.carried),
        "lorry_booked": False,
    }
