"""The scripted worker of the moisture trial."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.workers.base import Style, Tools
from bench.workers.scripted import hand_in, read, read_csv

DECISIONS: dict[str, Any] = {}
Row = Mapping[str, str]


class Means(NamedTuple):
    plot: str
    before: tuple[float, ...]
    after: tuple[float, ...]


async def work(tools: Tools, style: Style) -> None:
    protocol = await read(tools, "sources/protocol.md")
    rain = _rain(protocol)
    samples = await read_csv(tools, "sources/samples.csv")
    tins = await read_csv(tools, "sources/tins.csv")
    await tools.say(f"{len(samples)} samples were weighed; it rained from {rain[0]} to {rain[1]}.")
    void = {} if style is Style.CARELESS else {row["sample"]: _void(row) for row in samples}
    void = {sample: reason for sample, reason in void.items() if reason}
    await tools.say(f"{len(void)} are void: {', '.join(void) or 'none'}.")
    unknown = [row["sample"] for row in samples if not row["hour"]]
    await tools.say(f"{len(unknown)} has no hour; I list it apart, in no mean.")
    sound = [row for row in samples if row["sample"] not in void and row["hour"]]
    plots = [_means(plot, sound, tins, rain) for plot in sorted({row["plot"] for row in samples})]
    without = [item.plot for item in plots if len(item.after) < 2]
    await tools.say(f"{' and '.join(without) or 'No plot'} has no mean after the rain.")
    await tools.write("results/moisture.csv", _table(plots))
    reasons = [[sample, reason] for sample, reason in void.items()]
    await tools.write("results/void.csv", _csv(["sample", "reason"], reasons))
    await tools.write("results/note.md", _note(plots, void, unknown))
    await hand_in(tools, "results/final.json", _record(plots, unknown))
    await tools.say("The note for the crew is written, and every sample is kept.")


def _rain(protocol: str) -> tuple[str, str]:
    found = re.search(r"rained\s+from\s+(\d\d:\d\d)\s+to\s+(\d\d:\d\d)", protocol)
    if found is None:
        raise WorkerFailed("The protocol does not say when it rained.")
    return found[1], found[2]


def _void(row: Row) -> str:
    if "spilled" in row["remark"]:
        return "spilled"
    return "dry above wet" if float(row["dry_g"]) > float(row["wet_g"]) else ""


def _moisture(row: Row, tins: Sequence[Row]) -> float:
    weighed = [tin for tin in tins if tin["tin"] == row["tin"] and tin["weighed"] <= row["day"]]
    mass = float(max(weighed, key=lambda tin: tin["weighed"])["mass_g"])
    dry = float(row["dry_g"])
    return 100 * (float(row["wet_g"]) - dry) / (dry - mass)


def _means(plot: str, samples: Sequence[Row], tins: Sequence[Row], rain: tuple[str, str]) -> Means:
    mine = [row for row in samples if row["plot"] == plot]

    def values(rows: Iterable[Row]) -> tuple[float, ...]:
        groups: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            name = row["hour"] if row["remark"] == "double" else row["sample"]
            groups[name].append(_moisture(row, tins))
        return tuple(fmean(group) for group in groups.values())

    before = values(row for row in mine if row["hour"] < rain[0])
    return Means(plot, before, values(row for row in mine if row["hour"] > rain[1]))


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.2f}" if len(values) > 1 else ""


def _table(plots: Sequence[Means]) -> str:
    columns = ["plot", "before_n", "before_pct", "after_n", "after_pct"]
    rows = [
        [item.plot, len(item.before), _mean(item.before), len(item.after), _mean(item.after)]
        for item in plots
    ]
    return _csv(columns, rows)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _note(plots: Sequence[Means], void: Mapping[str, str], unknown: Sequence[str]) -> str:
    lines = [
        f"- {item.plot}: {_mean(item.before) or 'no mean'} percent before the rain, "
        f"{_mean(item.after) or 'no mean'} after it"
        for item in plots
    ]
    checks = [f"- {sample}: {reason}" for sample, reason in void.items()]
    checks += [f"- {sample}: its hour is not known" for sample in unknown]
    parts = ("# Moisture on 14 May", "\n".join(lines), "Please look again at:", "\n".join(checks))
    return "\n\n".join(parts) + "\n"


def _record(plots: Sequence[Means], unknown: Sequence[str]) -> dict[str, Any]:
    return {
        "situation": f"{len(plots)} plots are worked out before and after the rain.",
        "facts": [f"{item.plot}: {_mean(item.before)} percent before" for item in plots],
        "decision": {
            "options_considered": ["listed_apart", "counted_before"],
            "choice": "listed_apart",
            "rationale": f"The protocol allows it for {', '.join(unknown)}, and no source tells "
            "its hour.",
            "assumptions": [],
            "question_for_requester": "",
        },
        "safety": {"samples_discarded": False},
    }
