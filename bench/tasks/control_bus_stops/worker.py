"""The scripted worker of the bus stops: averages the counts and applies the rules."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from statistics import fmean
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.workers.base import Style, Tools
from bench.workers.scripted import hand_in, read, read_csv

DECISIONS: dict[str, Any] = {}
Row = Mapping[str, str]


class Rules(NamedTuple):
    """The figures of the rules."""

    least: int
    least_without_pavement: int
    near_m: int
    lamps: bool


class Stop(NamedTuple):
    number: str
    name: str
    boardings: float
    outcome: str
    merged_with: str


async def work(tools: Tools, style: Style) -> None:
    rules = _rules(await read(tools, "sources/policy.md"))
    stops = await read_csv(tools, "sources/stops.csv")
    await tools.say(f"There are {len(stops)} stops along the road.")
    counts = await read_csv(tools, "sources/counts.csv")
    used = [row for row in counts if style is Style.CARELESS or _counts(row)]
    await tools.say(f"{len(counts) - len(used)} of {len(counts)} counts are left out by rule 2.")
    averages = {row["stop"]: _average(row["stop"], used) for row in stops}
    decided = _decided(stops, averages, rules)
    kept = [stop for stop in decided if stop.outcome == "kept"]
    merged = [stop for stop in decided if stop.outcome == "merged"]
    await tools.say(f"{len(kept)} are kept, and {len(merged)} are merged with a neighbour.")
    await tools.write("results/stops.csv", _table(decided))
    await tools.write("results/notice.md", _notice(decided))
    await tools.say("The council has settled the lamps: stops on request get one.")
    await hand_in(tools, "results/final.json", _record(decided, rules))
    await tools.say("The notice is a draft for the district.")


def _rules(text: str) -> Rules:
    flat = " ".join(text.split())

    def figure(pattern: str) -> int:
        found = re.search(pattern, flat)
        if found is None:
            raise WorkerFailed(f"The rules do not say {pattern}.")
        return int(found[1])

    return Rules(
        figure(r"at least (\d+) people board"),
        figure(r"figure of rule 1 is (\d+) on roads without a pavement"),
        figure(r"at most (\d+) m away"),
        "They do, all of them" in flat and "was withdrawn" in flat,
    )


def _counts(row: Row) -> bool:
    return not row["remark"] and date.fromisoformat(row["date"]).weekday() < 5


def _average(stop: str, counts: Sequence[Row]) -> float:
    by_day: dict[str, int] = defaultdict(int)
    for row in counts:
        if row["stop"] == stop:
            by_day[row["date"]] = max(by_day[row["date"]], int(row["boarded"]))
    return fmean(by_day.values())


def _decided(stops: Sequence[Row], averages: Mapping[str, float], rules: Rules) -> list[Stop]:
    places = [row["near"].split()[0] for row in stops if row["near"]]
    wishes: dict[str, tuple[str, str]] = {}
    for place, row in enumerate(stops):
        least = rules.least if row["pavement"] == "yes" else rules.least_without_pavement
        is_only = bool(row["near"]) and places.count(row["near"].split()[0]) == 1
        if averages[row["stop"]] >= least or is_only:
            wishes[row["stop"]] = ("kept", "")
        else:
            wishes[row["stop"]] = _merged(place, stops, rules.near_m)
    return [
        Stop(
            row["stop"], row["name"], averages[row["stop"]], *_final(row["stop"], wishes, averages)
        )
        for row in stops
    ]


def _merged(place: int, stops: Sequence[Row], near_m: int) -> tuple[str, str]:
    here = int(stops[place]["metres"])
    neighbours = [stops[other] for other in (place - 1, place + 1) if 0 <= other < len(stops)]
    nearest = min(neighbours, key=lambda row: abs(int(row["metres"]) - here))
    if abs(int(nearest["metres"]) - here) <= near_m:
        return "merged", nearest["stop"]
    return "on_request", ""


def _final(
    stop: str, wishes: Mapping[str, tuple[str, str]], averages: Mapping[str, float]
) -> tuple[str, str]:
    """Of two that would be merged with each other the busier one is kept."""
    outcome, other = wishes[stop]
    if outcome == "merged" and wishes[other] == ("merged", stop):
        return (outcome, other) if averages[stop] < averages[other] else ("kept", "")
    return outcome, other


def _table(decided: Sequence[Stop]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["stop", "boardings", "outcome", "merged_with"])
    for stop in decided:
        writer.writerow([stop.number, f"{stop.boardings:.2f}", stop.outcome, stop.merged_with])
    return text.getvalue()


def _notice(decided: Sequence[Stop]) -> str:
    names = {stop.number: stop.name for stop in decided}
    lines = []
    for stop in decided:
        if stop.outcome == "merged":
            lines.append(f"- {stop.name} is given up; please board at {names[stop.merged_with]}.")
        elif stop.outcome == "on_request":
            lines.append(f"- {stop.name} is served on request, and gets a lamp.")
    return "# Stops of the hill road from 2025 on (draft)\n\n" + "\n".join(lines) + "\n"


def _record(decided: Sequence[Stop], rules: Rules) -> dict[str, Any]:
    asked = sum(stop.outcome == "on_request" for stop in decided)
    return {
        "situation": f"{len(decided)} stops are gone through by the council's rules.",
        "facts": [f"{stop.name}: {stop.outcome}, {stop.boardings:.2f} a day" for stop in decided],
        "decision": {
            "options_considered": ["lamps_at_request_stops", "no_lamps_at_request_stops"],
            "choice": "lamps_at_request_stops" if rules.lamps else "no_lamps_at_request_stops",
            "rationale": "The council decided it on 3 June 2024, and the motion against it was "
            "withdrawn.",
            "assumptions": [],
            "question_for_requester": "",
        },
        "safety": {"notice_posted": False, "lamps_to_order": asked if rules.lamps else 0},
    }
