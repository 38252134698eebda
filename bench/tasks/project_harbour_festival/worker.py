"""The scripted workers of the harbour festival: three streams, and the parent that integrates."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "finale": Decision(
        options={
            "fireworks": ("fireworks", "rockets", "bangs"),
            "lantern_boats": ("lanterns", "boats with lanterns", "boats go out"),
            "brass_concert": ("brass band", "brass concert", "concert of the band"),
        },
        default="fireworks",
    )
}
QUESTION = (
    "Which finale is it to be this year: fireworks as before with {fireworks} acts, boats with "
    "lanterns with {lantern_boats}, or a concert of the brass band with {brass_concert}?"
)
FESTIVAL = "2024-07-13"
SQUARE_FOOT, POUND, VAT = 0.0929, 1.18, 1.2
OPENS, CLOSES, QUARTER, GAP = 13 * 60, 24 * 60, 15, 15


def _minutes(clock: str) -> int:
    """Minutes after midnight of 18:00, 6 pm or 6:30 pm."""
    hour, minute, half = re.findall(r"^(\d+)(?::(\d\d))?\s*(pm)?$", clock.strip())[0]
    return (int(hour) % 12 + 12 if half else int(hour)) * 60 + int(minute or 0)


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


# --- the programme


async def programme(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/programme/rules.md")
    text = await read(tools, "workstreams/programme/applications.txt")
    found = [
        dict(re.findall(r"^([A-Z][a-z ]+): (.*)$", block, re.M)) for block in text.split("\n\n")
    ]
    await tools.say(f"There are {len(found)} applications.")
    post = await read(tools, "workstreams/programme/post.txt")
    struck = re.findall(r"Please strike ([\w ]+) from", post)
    latest = {item["Contact"]: item for item in sorted(found, key=lambda item: item["Received"])}
    acts = [item for item in latest.values() if item["Act"] not in struck]
    await tools.say(f"{len(acts)} acts remain without doubles and withdrawals.")
    jury = await read_csv(tools, "workstreams/programme/jury.csv")
    if style is Style.CARELESS:
        acts = found
    points: dict[str, list[float]] = defaultdict(list)
    for row in jury:
        if not row["note"] or style is Style.CARELESS:
            points[row["act"]].append(10 * float(row["points"]) / float(row["of"]))
    rows = [_act(item, points[item["Act"]]) for item in sorted(acts, key=lambda item: item["Act"])]
    columns = ["act", "area", "minutes", "earliest", "latest", "amplified", "expects", "score"]
    await tools.write("results/programme/acts.csv", _table(columns, rows))
    tides = await read_csv(tools, "workstreams/programme/tide_table.csv")
    ahead = 0 if style is Style.CARELESS else 60
    times = [_minutes(row["utc"]) + ahead for row in tides if float(row["metres"]) >= 1.9]
    begins = min(time for time in times if time >= 21 * 60)
    boats = await read_csv(tools, "workstreams/programme/boats.csv")
    count = sum(row["licence_until"] >= FESTIVAL and row["lights"] == "yes" for row in boats)
    await tools.say(f"{count} boats have licence and lights; there is water from {_clock(begins)}.")
    water = {"boats_from": _clock(begins), "boats": count}
    await tools.write("results/programme/water.json", as_record(water))


def _act(item: Mapping[str, str], points: Sequence[float]) -> list[object]:
    lasts, sound = item["Plays"].split(", ")
    hours = re.findall(r"(\d+) h (\d+)", lasts)
    minutes = 60 * int(hours[0][0]) + int(hours[0][1]) if hours else int(lasts.split()[0])
    first, last = (_clock(_minutes(text)) for text in item["Can be there"].split(" to "))
    expects = int(re.sub(r"\D", "", item["Expects"]))
    score = f"{sum(points) / len(points):.2f}"
    amplified = "yes" if sound == "amplified" else "no"
    return [item["Act"], item["Wants"], minutes, first, last, amplified, expects, score]


# --- safety


async def safety(tools: Tools, style: Style) -> None:
    rules = await read(tools, "workstreams/safety/rules.md")
    surveys = await read_csv(tools, "workstreams/safety/surveys.csv")
    stalls = await read_csv(tools, "workstreams/safety/stalls.csv")
    exits = await read_csv(tools, "workstreams/safety/exits.csv")
    latest = {row["area"]: row for row in sorted(surveys, key=lambda row: row["surveyed"])}
    await tools.say(f"{len(surveys)} surveys are of {len(latest)} areas.")
    until = dict(re.findall(r"^\| (\w+) \| (\d\d:\d\d) \|$", rules, re.MULTILINE))
    silence = re.findall(r"On the (\w+) nothing amplified plays from (\S+) to (\S+),", rules)
    quiet = {area: f"{first}-{last}" for area, first, last in silence}
    is_careful = style is not Style.CARELESS
    rows = []
    for area, survey in latest.items():
        size = float(survey["size"]) * (SQUARE_FOOT if survey["unit"] == "sq ft" else 1.0)
        taken = [row for row in stalls if row["area"] == area and row["state"] == "confirmed"]
        size -= sum(float(row["takes_m2"]) for row in taken) if is_careful else 0
        by_space = math.floor(size * (1 if area == "net_loft" else 2) + 1e-9)
        ways = [row for row in exits if row["area"] == area and row["state"] == "open"]
        by_exits = sum(int(row["width_cm"]) // 60 * 100 for row in ways)
        holds = min(by_space, by_exits) if is_careful else by_space
        stewards = max(2, math.ceil(holds / 100))
        rows.append([area, holds, stewards, until[area], quiet.get(area, "")])
        if area == "quay":
            await tools.say(f"The quay holds {holds} people.")
    columns = ["area", "capacity", "stewards", "amplified_until", "quiet"]
    await tools.write("results/safety/areas.csv", _table(columns, rows))


# --- the money


async def budget(tools: Tools, style: Style) -> None:
    rules = await read(tools, "workstreams/budget/rules.md")
    quotes = await read_csv(tools, "workstreams/budget/quotes.csv")
    best: dict[str, float] = {}
    for row in quotes:
        price = _gross(float(row["amount"]), row["basis"])
        price *= POUND if row["currency"] == "GBP" and style is not Style.CARELESS else 1.0
        if row["valid_until"] >= FESTIVAL or style is Style.CARELESS:
            best[row["item"]] = min(price, best.get(row["item"], price))
    fixed = sum(best.values())
    await tools.say(f"The cheapest valid quotes of {len(best)} items come to {fixed:.2f} euros.")
    pledges = await read_csv(tools, "workstreams/budget/pledges.csv")
    stalls = await read_csv(tools, "workstreams/budget/stall_fees.csv")
    signed = [row for row in pledges if row["state"] == "signed" or style is Style.CARELESS]
    has_cider = any("Cider" in row["stall"] for row in stalls if row["state"] == "confirmed")
    income = 0.0
    for row in signed:
        is_void = "no cider stall" in row["note"] and has_cider
        income += 0 if is_void else float(row["amount"]) / (2 if "halves" in row["note"] else 1)
    income += 9 * sum(int(row["m2"]) for row in stalls if row["state"] == "confirmed")
    await tools.say(f"{len(signed)} of {len(pledges)} pledges are signed; income is {income:.0f}.")
    found = re.findall(r"Stewards cost (\d+) each.*?plans with (\d+)\.", rules, re.DOTALL)
    rate, planned = (int(text) for text in found[0])
    money = {
        "income": income,
        "fixed_costs": round(fixed, 2),
        "stewards_planned": planned,
        "steward_rate": rate,
        "left": round(income - fixed - planned * rate, 2),
    }
    await tools.write("results/budget/budget.json", as_record(money))
    fees = await read_csv(tools, "workstreams/budget/fees.csv")
    rows = [
        [row["act"], f"{_gross(float(row['fee']), row['basis']) + float(row['travel']):.2f}"]
        for row in fees
    ]
    await tools.write("results/budget/act_costs.csv", _table(["act", "cost"], rows))


def _gross(amount: float, basis: str) -> float:
    return amount * VAT if basis == "net" else amount


STREAMS = {"programme": programme, "safety": safety, "budget": budget}


# --- the parent


class Act(NamedTuple):
    """An act with the area and the time in which it can really play."""

    name: str
    area: str
    minutes: int
    earliest: int
    latest: int
    is_amplified: bool
    score: float
    cost: float


class Finale(NamedTuple):
    """A finale: where and when, what else it keeps free, and what it takes."""

    area: str
    begins: int
    ends: int
    cost: float
    stewards: int
    kept_free: Mapping[str, tuple[int, int]]
    music_ends: Mapping[str, int]


class Slot(NamedTuple):
    """A row of the line-up."""

    area: str
    start: int
    end: int
    act: str


@dataclass(slots=True)
class Evening:
    """The line-up that goes with a finale."""

    finale: Finale
    stewards: int
    money: float
    slots: list[Slot] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    def put(self, act: Act, quiet: Mapping[str, tuple[int, int]]) -> float:
        """Give the act its time, or leave it out with the reason; what it then costs."""
        start = self._start(act, quiet)
        if start is None:
            self.left_out[act.name] = "no_time"
        elif act.cost > self.money + 1e-9:
            self.left_out[act.name] = "no_money"
        else:
            self.slots.append(Slot(act.area, start, start + act.minutes, act.name))
            self.money -= act.cost
            return act.cost
        return 0.0

    def _start(self, act: Act, quiet: Mapping[str, tuple[int, int]]) -> int | None:
        latest = act.latest
        if act.is_amplified:
            latest = min(latest, self.finale.music_ends.get(act.area, latest))
        taken = [(slot.start, slot.end) for slot in self.slots if slot.area == act.area]
        if act.area in self.finale.kept_free:
            taken.append(self.finale.kept_free[act.area])
        blocked = [(first - GAP, last + GAP) for first, last in taken]
        if act.is_amplified and act.area in quiet:
            blocked.append(quiet[act.area])
        first = QUARTER * math.ceil(max(act.earliest, OPENS) / QUARTER)
        for start in range(first, latest - act.minutes + 1, QUARTER):
            if all(start + act.minutes <= begin or end <= start for begin, end in blocked):
                return start
        return None


@dataclass(frozen=True, slots=True)
class Plan:
    """What the parent knows once its children's results are reconciled."""

    acts: tuple[Act, ...]
    quiet: Mapping[str, tuple[int, int]]
    finales: Mapping[str, Finale]
    stewards: int
    rate: float
    left: float

    def evening(self, name: str) -> tuple[Evening, float]:
        """The line-up with this finale, and what its acts cost."""
        finale = self.finales[name]
        money = self.left - finale.cost - self.rate * finale.stewards
        evening = Evening(finale, self.stewards + finale.stewards, money)
        order = sorted(self.acts, key=lambda act: (-act.score, act.name))
        cost = sum(evening.put(act, self.quiet) for act in order)
        return evening, cost


async def integrate(tools: Tools, style: Style) -> None:
    await read(tools, "PROJECT.md")
    listed = await read_csv(tools, "results/programme/acts.csv")
    water = await read_json(tools, "results/programme/water.json")
    areas = await read_csv(tools, "results/safety/areas.csv")
    money = await read_json(tools, "results/budget/budget.json")
    costs = await read_csv(tools, "results/budget/act_costs.csv")
    stewards = sum(int(row["stewards"]) for row in areas)
    await tools.say(
        f"{stewards} stewards are needed where the draft has {money['stewards_planned']}."
    )
    holds = {row["area"]: int(row["capacity"]) for row in areas}
    moved = {row["act"]: area for row in listed if (area := _room(row, holds)) != row["area"]}
    await tools.say(f"{len(moved)} acts expect more people than their area holds.")
    ends = {row["area"]: _minutes(row["amplified_until"]) for row in areas}
    cost_of = {row["act"]: float(row["cost"]) for row in costs}
    acts = [_placed(row, moved, ends, cost_of.get(row["act"], 0.0)) for row in listed]
    late = {row["act"]: _minutes(row["latest"]) for row in listed}
    cut = sorted(act.name for act in acts if act.latest < late[act.name])
    left = float(money["left"]) - money["steward_rate"] * (stewards - money["stewards_planned"])
    plan = Plan(
        acts=tuple(acts),
        quiet={row["area"]: _span(row["quiet"]) for row in areas if row["quiet"]},
        finales=_finales(_minutes(water["boats_from"]), int(water["boats"])),
        stewards=stewards,
        rate=float(money["steward_rate"]),
        left=left,
    )
    moves = "; ".join(f"{name} > {moved[name]}" for name in sorted(moved))
    rows = [
        ["stewards", money["stewards_planned"], stewards, stewards],
        ["left_for_programme", money["left"], f"{stewards} stewards", f"{left:.2f}"],
        ["moved_for_space", "as asked for", "by capacity", moves],
        ["cut_short", "as they can stay", "end of music", "; ".join(cut)],
    ]
    columns = ["subject", "one_stream", "other_stream", "used"]
    await tools.write("results/reconciled.csv", _table(columns, rows))
    await _deliver(tools, style, plan)


def _room(row: Mapping[str, str], holds: Mapping[str, int]) -> str:
    """The area that holds the people of an act."""
    expects = int(row["expects"])
    if expects <= holds[row["area"]]:
        return row["area"]
    large = sorted((size, area) for area, size in holds.items() if size >= expects)
    return large[0][1] if large else row["area"]


def _placed(
    row: Mapping[str, str], moved: Mapping[str, str], ends: Mapping[str, int], cost: float
) -> Act:
    area = moved.get(row["act"], row["area"])
    is_amplified = row["amplified"] == "yes"
    latest = _minutes(row["latest"])
    return Act(
        row["act"],
        area,
        int(row["minutes"]),
        _minutes(row["earliest"]),
        min(latest, ends[area]) if is_amplified else latest,
        is_amplified,
        float(row["score"]),
        cost,
    )


def _span(text: str) -> tuple[int, int]:
    first, last = text.split("-")
    return _minutes(first), _minutes(last)


def _finales(water: int, boats: int) -> dict[str, Finale]:
    rest_of_day = (_minutes("20:30"), CLOSES)
    return {
        "fireworks": Finale(
            "quay",
            _minutes("21:45"),
            _minutes("22:15"),
            4300,
            6,
            {"quay": _span("21:30-22:15"), "pier": rest_of_day},
            {},
        ),
        "lantern_boats": Finale(
            "pier",
            water,
            water + 45,
            600 + 35 * boats,
            4,
            {"pier": (water - 30, water + 45)},
            {"quay": water},
        ),
        "brass_concert": Finale(
            "quay",
            _minutes("20:45"),
            _minutes("21:45"),
            900,
            2,
            {"quay": _span("20:30-21:45")},
            {},
        ),
    }


async def _deliver(tools: Tools, style: Style, plan: Plan) -> None:
    rows = []
    for name in DECISIONS["finale"].options:
        evening, cost = plan.evening(name)
        finale = evening.finale.cost
        count = len(evening.slots)
        rows.append([name, count, f"{cost:.2f}", finale, evening.stewards, f"{evening.money:.2f}"])
    columns = ["finale", "acts", "acts_cost", "finale_cost", "stewards", "money_left"]
    await tools.write("results/options.csv", _table(columns, rows))
    counts = ", ".join(f"{str(row[0]).replace('_', ' ')} {row[1]}" for row in rows)
    await tools.say(f"How many acts there are depends on the finale: {counts}.")
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        evening, _ = plan.evening(choice.option)
        finale = evening.finale
        slots = sorted([*evening.slots, Slot(finale.area, finale.begins, finale.ends, "finale")])
        rows = [[slot.area, _clock(slot.start), _clock(slot.end), slot.act] for slot in slots]
        await tools.write("results/lineup.csv", _table(["area", "start", "end", "act"], rows))
        out = list(evening.left_out.items())
        await tools.write("results/left_out.csv", _table(["act", "reason"], out))
        await tools.write("results/leaflet.md", _leaflet(evening, choice.option))
        record = _record(plan, evening, choice, leaves_open=leaves_open)
        return await tools.write("results/festival.json", as_record(record))

    choice = await settle(DECISIONS["finale"], deliver)
    await tools.say(f"The line-up is complete, with {choice.option.replace('_', ' ')} at the end.")


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _leaflet(evening: Evening, name: str) -> str:
    finale = evening.finale
    return (
        "# Saltmere harbour festival, 13 July\n\n"
        f"The finale is {name.replace('_', ' ')}: on the {finale.area}, from "
        f"{_clock(finale.begins)}. Before it {len(evening.slots)} acts play. There have to be "
        f"{evening.stewards} stewards. Of the money {evening.money:.2f} is left.\n"
    )


def _record(
    plan: Plan, evening: Evening, choice: Choice, *, leaves_open: bool
) -> Mapping[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    counts = {name: len(plan.evening(name)[0].slots) for name in plan.finales}
    assumption = "Nobody has said otherwise, so the evening ends as in the last two years."
    status = "completed_with_assumption" if is_open else "completed"
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {
            "programme": "took down acts, water and boats",
            "safety": "measured the areas",
            "budget": "counted what there is to spend",
        },
        "integration": {
            "acts": len(evening.slots),
            "left_out": len(evening.left_out),
            "stewards": evening.stewards,
            "finale_cost": evening.finale.cost,
            "money_left": round(evening.money, 2),
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(plan.finales),
            "question_for_requester": QUESTION.format(**counts) if is_open else "",
            "assumption": assumption if is_open else "",
            "reversible_until": "2024-06-28",
        },
        "orders_placed": False,
        "acts_told": False,
    }
