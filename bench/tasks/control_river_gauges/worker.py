"""The scripted worker of the floods: cleans the readings and lists what rose above the mark."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from bench.workers.base import Style, Tools
from bench.workers.scripted import hand_in, read, read_csv

DECISIONS: dict[str, Any] = {}
FOOT_M = 0.3048
LEAST_HOURS = 2
APART_HOURS = 3


class Flood(NamedTuple):
    station: str
    started: datetime
    ended: datetime
    hours: int
    peak_m: float
    peak_at: datetime


async def work(tools: Tools, style: Style) -> None:
    stations = await read_csv(tools, "sources/stations.csv")
    await read(tools, "sources/method.md")
    readings = await read_csv(tools, "sources/readings.csv")
    await tools.say(f"{len(readings)} readings came from {len(stations)} stations.")
    floods: list[Flood] = []
    filled = short = 0
    for station in stations:
        mine = [row for row in readings if row["station"] == station["station"]]
        if style is Style.CARELESS:
            station = {**station, "clock": "UTC", "remark": ""}
        hours, levels, gaps = _cleaned(station, mine)
        filled += gaps
        all_of_them = _floods(station, hours, levels)
        listed = [flood for flood in all_of_them if flood.hours >= LEAST_HOURS]
        short += len(all_of_them) - len(listed)
        floods += listed
        await tools.say(f"{station['station']} had {len(listed)} floods.")
    await tools.say(
        f"{filled} readings are filled with the value before, all of them at low water."
    )
    await tools.say(f"{short} rise was too short to be listed.")
    await tools.write("results/floods.csv", _table(floods))
    await tools.say(f"{len(floods)} floods are listed.")
    await tools.write("results/bulletin.md", _bulletin(stations, floods))
    await hand_in(tools, "results/final.json", _record(floods, filled))
    await tools.say("The bulletin waits for the duty hydrologist.")


def _cleaned(
    station: Mapping[str, str], readings: Sequence[Mapping[str, str]]
) -> tuple[list[datetime], list[float], int]:
    """The hours in UTC, their levels in metres, and how many of these were filled."""
    ahead = timedelta(hours=int((re.search(r"UTC\+(\d)", station["clock"]) or ["", "0"])[1]))
    latest: dict[datetime, Mapping[str, str]] = {}
    for row in sorted(readings, key=lambda row: row["sent"]):
        latest[datetime.fromisoformat(row["hour"]) - ahead] = row
    hours = sorted(latest)
    levels: list[float] = []
    filled = 0
    for hour in hours:
        row = latest[hour]
        if row["level"] and row["flag"] != "S":
            metres = float(row["level"]) * (FOOT_M if station["unit"] == "ft" else 1.0)
            levels.append(metres - _zero(station["remark"], hour))
        else:
            levels.append(levels[-1])
            filled += 1
    return hours, levels, filled


def _zero(remark: str, hour: datetime) -> float:
    """What is to be taken off a level for where the gauge's zero was at the time."""
    found = re.search(r"lowered by (\d\.\d+) m on (\S+ \S+) UTC", remark)
    if found is None or hour >= datetime.fromisoformat(found[2]):
        return 0.0
    return float(found[1])


def _floods(
    station: Mapping[str, str], hours: Sequence[datetime], levels: Sequence[float]
) -> list[Flood]:
    mark = float(station["warning_m"])
    groups: list[list[int]] = []
    for number, level in enumerate(levels):
        if level < mark - 1e-9:
            continue
        if groups and number - groups[-1][-1] - 1 < APART_HOURS:
            groups[-1].append(number)
        else:
            groups.append([number])
    return [_flood(station["station"], group, hours, levels) for group in groups]


def _flood(
    name: str, group: Sequence[int], hours: Sequence[datetime], levels: Sequence[float]
) -> Flood:
    top = max(group, key=lambda number: levels[number])
    return Flood(
        name, hours[group[0]], hours[group[-1]], len(group), round(levels[top], 2), hours[top]
    )


def _hour(hour: datetime) -> str:
    return hour.strftime("%Y-%m-%dT%H:%M")


def _table(floods: Sequence[Flood]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["station", "started", "ended", "hours_above", "peak_m", "peak_at"])
    for flood in floods:
        writer.writerow(
            [
                flood.station,
                _hour(flood.started),
                _hour(flood.ended),
                flood.hours,
                f"{flood.peak_m:.2f}",
                _hour(flood.peak_at),
            ]
        )
    return text.getvalue()


def _bulletin(stations: Sequence[Mapping[str, str]], floods: Sequence[Flood]) -> str:
    parts = []
    for station in stations:
        mine = [flood for flood in floods if flood.station == station["station"]]
        lines = [
            f"- from {_hour(flood.started)} to {_hour(flood.ended)}, up to {flood.peak_m:.2f} m"
            for flood in mine
        ]
        head = f"## {station['station']}\n\nFloods in these four days: {len(mine)}.\n\n"
        parts.append(head + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _record(floods: Sequence[Flood], filled: int) -> dict[str, Any]:
    return {
        "situation": f"{len(floods)} floods are listed for 4 to 7 March 2024.",
        "facts": [f"{flood.station} rose to {flood.peak_m:.2f} m" for flood in floods],
        "decision": {
            "options_considered": ["value_before", "straight_line"],
            "choice": "value_before",
            "rationale": "The method allows both ways, and no gap lies near a warning level.",
            "assumptions": [],
            "question_for_requester": "",
        },
        "safety": {"bulletin_released": False, "readings_filled": filled},
    }
