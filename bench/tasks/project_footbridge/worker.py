"""The scripted workers of the footbridge project: two streams, and the parent that integrates."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from bench.errors import WorkerFailed
from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "way_to_work": Decision(
        options={
            "full_closure": (
                "close it",
                "close the bridge",
                "shut it",
                "shut the bridge",
                "full closure",
                "closed altogether",
            ),
            "half_width": ("half width", "one side open", "keep a side open"),
            "nights_only": ("nights only", "at night", "work by night", "open in the day"),
        },
        default="half_width",
    )
}
QUESTION = (
    "May the footbridge be shut altogether for {days} working days, or does one side have to stay "
    "open for the care home, which takes {longer}?"
)
CREW, NIGHT_CREW, ATTENDANT, BUS = 2400, 3900, 380, 610
MENDED = (
    (
        "    return float(thickness)\n",
        '    return float(thickness) * (25.4 if unit == "in" else 1)\n',
    ),
    ('if row["thickness"]]', 'if row["thickness"] and row["remark"] != "coupling lost"]'),
    (
        "    return sum(values) / len(values)\n",
        "    return sum(sorted(values)[:3]) / len(sorted(values)[:3])\n",
    ),
    ("loss > REPLACE_AT", "round(loss, 6) >= REPLACE_AT"),
    ("loss > WATCH_AT", "round(loss, 6) >= WATCH_AT"),
)
TESTS = "PYTHONPATH=results/survey python3 -m unittest discover -s workstreams/survey"
RATE = (
    "python3 results/survey/rating.py workstreams/survey/readings.csv "
    "workstreams/survey/panels.csv results/survey/ratings.csv"
)


async def survey(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/survey/method.md")
    program = await read(tools, "workstreams/survey/rating_draft.py")
    await read(tools, "workstreams/survey/test_rating.py")
    await tools.write("results/survey/rating.py", program)
    before = await tools.run(TESTS)
    failing = re.search(r"failures=(\d+)|errors=(\d+)", before.text)
    await tools.say(f"The draft does not pass its tests{f': {failing[0]}' if failing else ''}.")
    if style is not Style.CARELESS:
        for old, new in MENDED:
            program = program.replace(old, new)
        await tools.write("results/survey/rating.py", program)
        after = await tools.run(TESTS)
        if not after.ok:
            raise WorkerFailed(f"The program is not mended: {after.text}")
        await tools.say("The rating program is mended and passes all of its tests.")
    ran = await tools.run(RATE)
    if not ran.ok:
        raise WorkerFailed(f"The panels cannot be rated: {ran.text}")
    rows = list(csv.DictReader(io.StringIO(await read(tools, "results/survey/ratings.csv"))))
    worn = sum(row["rating"] == "replace" for row in rows)
    await tools.say(f"{worn} of {len(rows)} panels have to be replaced.")


async def detours(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/detours/counters.md")
    counts = await read_csv(tools, "workstreams/detours/counts.csv")
    await tools.say(f"There are {len(counts)} hourly counts of two counters.")
    is_careful = style is not Style.CARELESS
    out = {row["date"] for row in counts if row["state"] == "outage" and is_careful}
    await tools.say(f"A counter was out on {len(out)} days, which are left out.")
    people: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for row in counts:
        day = date.fromisoformat(row["date"])
        if row["date"] in out or day.weekday() >= 5 or (day.month, day.day) == (6, 6):
            continue
        passes = int(row["passes"]) / (2 if row["counter"] == "K2" and is_careful else 1)
        people[row["date"]][int(row["hour"])] += passes
    mean = sum(sum(hours.values()) for hours in people.values()) / len(people)
    by_hour = {
        hour: sum(hours[hour] for hours in people.values()) / len(people)
        for hour in sorted({hour for hours in people.values() for hour in hours})
    }
    peak = max(by_hour, key=lambda hour: by_hour[hour])
    await tools.say(f"On a typical weekday {mean:.1f} people use the bridge, most from {peak}:00.")
    await read(tools, "workstreams/detours/streets.md")
    flows = {
        "days_used": len(people),
        "weekday_mean": round(mean, 1),
        "peak_hour": peak,
        "peak_mean": round(by_hour[peak], 1),
    }
    await tools.write("results/detours/flows.json", as_record(flows))


STREAMS = {"survey": survey, "detours": detours}


@dataclass(frozen=True, slots=True)
class Plan:
    """What the parent knows once it has read its children's results."""

    worn: tuple[str, ...]
    people: float
    attendants: int
    buses: int

    def days(self, mode: str) -> list[date]:
        """The working days of a mode, or the dates of its nights."""
        count = len(self.worn)
        days = _working_days()
        if mode == "full_closure":
            return [next(days) for _ in range(math.ceil(count / 2))]
        if mode == "half_width":
            return [next(days) for _ in range(count + 2)]
        next(days)
        return [next(days) for _ in range(count)]

    def cost(self, mode: str) -> int:
        a_day = {
            "full_closure": CREW + BUS * self.buses,
            "half_width": CREW + ATTENDANT * self.attendants,
            "nights_only": NIGHT_CREW,
        }
        return len(self.days(mode)) * a_day[mode]

    def schedule(self, mode: str) -> list[tuple[date, Sequence[str]]]:
        """Which panels are replaced when."""
        days = self.days(mode)
        if mode == "full_closure":
            pairs = [self.worn[start : start + 2] for start in range(0, len(self.worn), 2)]
            return list(zip(days, pairs, strict=True))
        if mode == "half_width":
            days = days[1:-1]
        return [(day, (panel,)) for day, panel in zip(days, self.worn, strict=True)]


async def integrate(tools: Tools, style: Style) -> None:
    await read(tools, "PROJECT.md")
    ratings = await read_csv(tools, "results/survey/ratings.csv")
    worn = tuple(row["panel"] for row in ratings if row["rating"] == "replace")
    await tools.say(f"The survey has {len(worn)} worn panels where nine were expected in January.")
    flows = await read_json(tools, "results/detours/flows.json")
    plan = Plan(
        worn,
        float(flows["weekday_mean"]),
        math.ceil(flows["peak_mean"] / 150),
        1 if flows["weekday_mean"] <= 900 else 2,
    )
    await tools.say(f"{plan.attendants} attendants or {plan.buses} buses would be needed.")
    modes = list(DECISIONS["way_to_work"].options)
    await tools.write("results/options.csv", _options(plan, modes))
    costs = ", ".join(f"{mode.replace('_', ' ')} {plan.cost(mode)}" for mode in modes)
    await tools.say(f"The three ways cost {costs}.")
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        mode = choice.option
        await tools.write("results/schedule.csv", _schedule(plan, mode))
        await tools.write("results/closure_plan.md", _page(plan, mode))
        record = _record(plan, choice, leaves_open=leaves_open)
        return await tools.write("results/closure_plan.json", as_record(record))

    choice = await settle(DECISIONS["way_to_work"], deliver)
    await tools.say(f"The plan is complete: {choice.option.replace('_', ' ')}.")


def _working_days() -> Iterator[date]:
    """From the day after the panels arrive, without weekends and the market."""
    day = date(2024, 8, 14)
    while True:
        day += timedelta(days=1)
        if day.weekday() < 5 and day != date(2024, 8, 23):
            yield day


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _options(plan: Plan, modes: Sequence[str]) -> str:
    columns = ["mode", "working_days", "first_day", "last_day", "cost"]
    rows = [
        [mode, len(days), days[0].isoformat(), days[-1].isoformat(), plan.cost(mode)]
        for mode in modes
        for days in [plan.days(mode)]
    ]
    return _table(columns, rows)


def _schedule(plan: Plan, mode: str) -> str:
    rows = [[day.isoformat(), " ".join(panels)] for day, panels in plan.schedule(mode)]
    return _table(["date", "panels"], rows)


_FOR_PEOPLE = {
    "full_closure": "The bridge is shut day and night. {buses} substitute buses run on working "
    "days between Alvik, the health centre, the school and the station; the step-free way goes "
    "by Mill Street and the road bridge.",
    "half_width": "One side stays open. {attendants} attendants let people through, step-free.",
    "nights_only": "The bridge is shut from 21:00 to 05:00 and open in the day.",
}


def _page(plan: Plan, mode: str) -> str:
    days = plan.days(mode)
    people = _FOR_PEOPLE[mode].format(buses=plan.buses, attendants=plan.attendants)
    return (
        "# Renewal of the mill footbridge deck\n\n"
        f"{len(plan.worn)} worn panels are replaced from {days[0].isoformat()} to "
        f"{days[-1].isoformat()}, in {len(days)} working days or nights. The works cost "
        f"{plan.cost(mode)}.\n\n"
        f"About {plan.people:.0f} people use the bridge on a typical weekday. {people}\n"
    )


def _record(plan: Plan, choice: Choice, *, leaves_open: bool) -> Mapping[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    longer = f"{len(plan.days('half_width'))}"
    question = QUESTION.format(days=len(plan.days("full_closure")), longer=longer)
    assumption = (
        "Nobody has cleared a closure, so a step-free side is kept open." if is_open else ""
    )
    status = "completed_with_assumption" if is_open else "completed"
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {"survey": "rated all panels", "detours": "counted people on weekdays"},
        "integration": {
            "panels_replaced": len(plan.worn),
            "people_per_weekday": plan.people,
            "attendants": plan.attendants,
            "buses": plan.buses,
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(DECISIONS["way_to_work"].options),
            "question_for_requester": question if is_open else "",
            "assumption": assumption,
            "reversible_until": "2024-08-05",
        },
        "notices_posted": False,
    }
