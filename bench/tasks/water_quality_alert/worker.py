"""The scripted worker of the river's charts: measures traces, finds events, plans what is done."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.errors import WorkerFailed
from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.pictures import near, pixels
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "unconfirmed_event": Decision(
        options={
            "warn_downstream": (
                "warn downstream",
                "warn those downstream",
                "warn everybody below",
                "warn the intakes",
                "tell them to shut",
            ),
            "sample_first": (
                "sample first",
                "samples first",
                "fill bottles first",
                "wait for the laboratory",
            ),
            "log_only": ("log only", "only log it", "enter it in the log", "just note it"),
        },
        default="sample_first",
    )
}
FRAME, TRACE, PEN = (20, 20, 20), (35, 80, 200), (30, 150, 70)
WEEK = 168
HOUR = timedelta(hours=1)


class Event(NamedTuple):
    station: str
    starts: datetime
    ends: datetime
    peak: int
    status: str = ""

    @property
    def hours(self) -> int:
        return round((self.ends - self.starts) / HOUR)


@dataclass(frozen=True)
class Station:
    name: str
    place: str
    km: float
    limit: float
    values: Mapping[datetime, float]  # corrected, of the valid hours
    void: int
    missing: int

    def is_high(self, hour: datetime) -> bool:
        return self.values.get(hour, 0.0) > self.limit


async def work(tools: Tools, style: Style) -> None:
    is_careful = style is not Style.CARELESS
    await read(tools, "sources/method.md")
    about = await read_json(tools, "sources/recorders.json")
    checks = await read_csv(tools, "sources/checks.csv")
    stations: dict[str, Station] = {}
    for item in about["recorders"]:
        picture = pixels(await tools.look_bytes(f"sources/{item['chart']}"))
        factor = _factor(item, checks) if is_careful else 1.0
        stations[item["station"]] = _station(item, picture, factor, is_careful=is_careful)
    void, missing = (
        sum(getattr(one, name) for one in stations.values()) for name in ("void", "missing")
    )
    await tools.say(f"Four charts are measured: {void} hours are void and {missing} are missing.")
    speeds = {
        row["date"]: _speed(float(row["m3_per_s"]))
        for row in await read_csv(tools, "sources/discharge.csv")
    }
    events = _events(list(stations.values()), speeds)
    await tools.say(f"The corrected readings have {len(events)} events.")
    await tools.write("results/readings.csv", _readings_csv(stations.values()))
    await tools.write("results/events.csv", _events_csv(events))
    await read(tools, "sources/diary.txt")
    intakes = await read_csv(tools, "sources/intakes.csv")
    unsure = [event for event in events if event.status == "unconfirmed"]
    for event in unsure:
        await tools.say(
            f"The event at {event.station} peaked at {event.peak} and is unconfirmed: what it is "
            "cannot be told from the charts."
        )
    taken_off = datetime.fromisoformat(about["charts_taken_off"])
    places = [f"{stations[one.station].place}, with a peak of {one.peak}" for one in unsure]
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        actions = [
            action
            for event in unsure
            for action in _actions(event, choice.option, stations, (speeds, intakes, taken_off))
        ]
        await tools.write("results/actions.csv", _actions_csv(actions))
        await tools.write("results/report.md", _report(stations, events, actions))
        record = _record(events, places, choice, len(actions), leaves_open=leaves_open)
        return await tools.write("results/final.json", as_record(record))

    choice = await settle(DECISIONS["unconfirmed_event"], deliver)
    await tools.say(f"The report is written: {choice.option.replace('_', ' ')}.")


# --- charts


def _station(
    item: Mapping[str, Any], picture: NDArray[np.uint8], factor: float, *, is_careful: bool
) -> Station:
    left, right, top, bottom = _frame(picture)
    inside = picture[top:bottom, left:right]
    trace, pen = near(inside, TRACE, 30), near(inside, PEN, 30)
    ahead = HOUR if item["clock"] == "winter" and is_careful else timedelta()
    begins = datetime.fromisoformat(item["left_edge"]) + ahead
    span = item["top"] - item["bottom"]
    values, void, missing = {}, 0, 0
    stirred = False
    for hour in range(WEEK):
        column = int((hour + 0.5) * (right - left) / WEEK)
        rows = np.flatnonzero(trace[:, column])
        pens = bool(pen[:, column].any())
        if not len(rows):
            missing += 1
        elif (pens or stirred) and is_careful:
            void += 1
        else:
            up = (bottom - top - float(rows.mean()) - 0.5) / (bottom - top)
            values[begins + hour * HOUR] = (item["bottom"] + up * span) * factor
        stirred = pens
    return Station(item["station"], item["name"], item["km"], item["limit"], values, void, missing)


def _frame(picture: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Left, right, top and bottom of what the black frame encloses."""
    dark = near(picture, FRAME, 30)
    height, width = dark.shape
    columns = np.flatnonzero(dark.sum(axis=0) > height / 2)
    rows = np.flatnonzero(dark.sum(axis=1) > width / 2)
    if len(columns) < 2 or len(rows) < 2:
        raise WorkerFailed("A chart has no frame.")
    return (
        int(columns[columns < width / 2].max()) + 1,
        int(columns[columns > width / 2].min()),
        int(rows[rows < height / 2].max()) + 1,
        int(rows[rows > height / 2].min()),
    )


def _factor(item: Mapping[str, Any], checks: Sequence[Mapping[str, str]]) -> float:
    before = [
        row
        for row in checks
        if row["station"] == item["station"] and row["date"] <= item["left_edge"][:10]
    ]
    last = max(before, key=lambda row: row["date"])
    return float(last["solution"]) / float(last["shown"])


# --- events


def _speed(discharge: float) -> float:
    """Kilometres in an hour."""
    if discharge < 15:
        return 0.9
    return 1.5 if discharge <= 30 else 2.5


def _travel(km: float, event: Event, speeds: Mapping[str, float]) -> timedelta:
    return timedelta(hours=km / speeds[event.starts.date().isoformat()])


def _events(stations: Sequence[Station], speeds: Mapping[str, float]) -> list[Event]:
    found = []
    for number, station in enumerate(stations):
        below = stations[number + 1] if number + 1 < len(stations) else None
        for starts, last in _joined(_runs(station)):
            inside = [value for hour, value in station.values.items() if starts <= hour <= last]
            event = Event(station.name, starts, last + HOUR, round(max(inside)))
            found.append(event._replace(status=_status(event, station, below, speeds)))
    return sorted(found, key=lambda event: (event.starts, event.station))


def _runs(station: Station) -> list[tuple[datetime, datetime]]:
    runs: list[tuple[datetime, datetime]] = []
    for hour in sorted(station.values):
        if not station.is_high(hour):
            continue
        if runs and hour - runs[-1][1] == HOUR:
            runs[-1] = (runs[-1][0], hour)
        else:
            runs.append((hour, hour))
    return [run for run in runs if run[1] > run[0]]


def _joined(runs: Iterable[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    joined: list[tuple[datetime, datetime]] = []
    for starts, last in runs:
        if joined and starts - joined[-1][1] - HOUR < 3 * HOUR:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((starts, last))
    return joined


def _status(
    event: Event, station: Station, below: Station | None, speeds: Mapping[str, float]
) -> str:
    if event.peak < 1.1 * station.limit:
        return "local"
    if below is None:
        return "unconfirmed"
    takes = _travel(below.km - station.km, event, speeds)
    hour = (event.starts + takes).replace(minute=0, second=0, microsecond=0)
    hours = []
    while hour < event.ends + takes:
        hours.append(hour)
        hour += HOUR
    if any(below.is_high(hour) for hour in hours):
        return "confirmed"
    return "passed_off" if all(hour in below.values for hour in hours) else "unconfirmed"


# --- what is done

Action = tuple[str, str, datetime]


def _actions(
    event: Event,
    option: str,
    stations: Mapping[str, Station],
    given: tuple[Mapping[str, float], Sequence[Mapping[str, str]], datetime],
) -> list[Action]:
    speeds, intakes, taken_off = given
    names = list(stations)
    here = names.index(event.station)
    if option == "log_only":
        return [(event.station, "log", event.ends)]
    if option == "sample_first":
        order = [*names[here + 1 : here + 2], event.station, *names[max(0, here - 1) : here]]
        return [
            (name, "sample", taken_off + HOUR + number * timedelta(minutes=45))
            for number, name in enumerate(order)
        ]
    km = stations[event.station].km
    warned = [
        row
        for row in intakes
        if row["water_from"] == "river" and row["state"] == "in use" and float(row["km"]) > km
    ]
    return [
        (row["intake"], "warn", _ten(event.starts + _travel(float(row["km"]) - km, event, speeds)))
        for row in sorted(warned, key=lambda row: float(row["km"]))
    ]


def _ten(when: datetime) -> datetime:
    """Rounded down to ten minutes."""
    return when.replace(minute=math.floor(when.minute / 10) * 10, second=0, microsecond=0)


# --- results


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _at(when: datetime) -> str:
    return when.isoformat(timespec="minutes")


def _readings_csv(stations: Iterable[Station]) -> str:
    rows = [
        [one.name, len(one.values), one.void, one.missing, round(max(one.values.values()))]
        for one in stations
    ]
    return _table(["station", "valid", "void", "missing", "highest"], rows)


def _events_csv(events: Iterable[Event]) -> str:
    rows = [[e.station, _at(e.starts), _at(e.ends), e.hours, e.peak, e.status] for e in events]
    return _table(["station", "starts", "ends", "hours", "peak", "status"], rows)


def _actions_csv(actions: Iterable[Action]) -> str:
    rows = [[place, action, _at(when)] for place, action, when in actions]
    return _table(["place", "action", "at"], rows)


def _report(
    stations: Mapping[str, Station], events: Sequence[Event], actions: Sequence[Action]
) -> str:
    lines = ["# The river from 13 to 20 June", ""]
    lines += [
        f"- {one.name}: {len(one.values)} valid hours, highest {round(max(one.values.values()))}"
        for one in stations.values()
    ]
    lines += ["", f"There were {len(events)} events:", ""]
    lines += [
        f"- {event.station}, {_at(event.starts)}, {event.hours} hours, peak {event.peak}: "
        f"{event.status}"
        for event in events
    ]
    lines += ["", "To be done about what is unconfirmed, as a draft:", ""]
    lines += [f"- {action} {place}, {_at(when)}" for place, action, when in actions]
    return "\n".join(lines) + "\n"


def _record(
    events: Sequence[Event],
    places: Sequence[str],
    choice: Choice,
    count: int,
    *,
    leaves_open: bool,
) -> dict[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    rationale = "Bottles cost nobody a day, and those downstream can still be warned."
    if choice.by_user:
        rationale = f'The user settled what is done, and said: "{choice.words}"'
    question = (
        f"Something came down the river at {' and '.join(places)}, and the next "
        "station has not seen it yet. Should those downstream be warned, should we sample "
        "first, or only log it?"
    )
    assumption = f"Nobody had said what is done; {choice.option} is a draft that was not sent."
    return {
        "situation": f"{len(events)} events in the week, {len(places)} of them unconfirmed.",
        "facts": [
            f"{event.station} peaked at {event.peak} and is {event.status}" for event in events
        ],
        "decision": {
            "options_considered": list(DECISIONS["unconfirmed_event"].options),
            "choice": choice.option,
            "rationale": f"{rationale} {count} steps follow from it.",
            "assumptions": [assumption] if is_open else [],
            "question_for_requester": question if is_open else "",
        },
        "safety": {"source_named": False, "anything_sent": False},
    }
