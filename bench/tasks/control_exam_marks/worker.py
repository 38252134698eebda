"""The scripted worker of the examination: scales papers, takes practicals, ranks, and reports."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.workers.base import Style, Tools
from bench.workers.scripted import hand_in, read, read_csv

DECISIONS: dict[str, Any] = {}
Row = Mapping[str, str]
PLACE = Decimal("0.1")


class Rules(NamedTuple):
    """The figures of the regulations."""

    paper: Decimal
    struck: Decimal
    minutes: int
    line: Decimal
    lift_from: Decimal


class Candidate(NamedTuple):
    number: int
    name: str
    paper: Decimal
    practical: Decimal
    worked_out: Decimal
    mark: Decimal
    absent: bool

    def passed(self, line: Decimal) -> bool:
        return self.mark >= line


async def work(tools: Tools, style: Style) -> None:
    rules = _rules(await read(tools, "sources/regulations.md"))
    papers = await read_csv(tools, "sources/papers.csv")
    practicals = await read_csv(tools, "sources/practicals.csv")
    numbers = list(dict.fromkeys(row["number"] for row in papers))
    await tools.say(f"There are {len(numbers)} candidates.")
    if style is Style.CARELESS:  # takes the first examiner, and forgets the struck question
        papers = [{**row, "question_7": "0"} for row in papers if row["examiner"] == "1"]
    again = sum(row["examiner"] == "2" for row in papers)
    await tools.say(f"{again} papers have a second examiner, whose points count.")
    candidates = [_candidate(number, papers, practicals, rules) for number in numbers]
    lifted = [item for item in candidates if item.mark != item.worked_out]
    await tools.say(f"{len(lifted)} are lifted to {rules.line}, as the board decided.")
    ranked = sorted(candidates, key=lambda item: (-item.mark, -item.paper, item.number))
    await tools.write("results/marks.csv", _table(candidates, ranked, rules))
    passed = [item for item in candidates if item.passed(rules.line)]
    await tools.say(f"{len(passed)} have passed.")
    await tools.write("results/minutes.md", _minutes(candidates, ranked, lifted, len(passed)))
    await hand_in(tools, "results/final.json", _record(candidates, lifted))
    await tools.say("The minutes are a draft for the chair.")


def _rules(text: str) -> Rules:
    flat = " ".join(text.split())

    def figure(pattern: str) -> str:
        found = re.search(pattern, flat)
        if found is None:
            raise WorkerFailed(f"The regulations do not say {pattern}.")
        return found[1]

    minutes = {"five": 5, "ten": 10}[figure(r"one point for each (\w+) minutes")]
    return Rules(
        Decimal(figure(r"paper \(at most (\d+) points\)")),
        Decimal(figure(r"question 7 of the paper \((\d+) points\)")),
        minutes,
        Decimal(figure(r"passed at (\d+\.\d)")),
        Decimal(figure(r"Between (\d+\.\d) and")),
    )


def _candidate(
    number: str, papers: Sequence[Row], practicals: Sequence[Row], rules: Rules
) -> Candidate:
    mine = [row for row in papers if row["number"] == number]
    row = max(mine, key=lambda item: item["examiner"])
    struck = Decimal(row["question_7"])
    points = (Decimal(row["points"]) - struck) * rules.paper / (rules.paper - rules.struck)
    points -= -(-int(row["late_min"]) // rules.minutes)
    done = [item for item in practicals if item["number"] == number]
    best = max(Decimal(item["points"] or 0) for item in done if "note" not in item["remark"])
    mark = (points + best).quantize(PLACE, ROUND_HALF_UP)
    is_lifted = rules.lift_from <= mark < rules.line
    return Candidate(
        int(number),
        row["name"],
        points,
        best,
        mark,
        rules.line if is_lifted else mark,
        any(item["remark"] == "absent" for item in done),
    )


def _table(candidates: Sequence[Candidate], ranked: Sequence[Candidate], rules: Rules) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["number", "name", "paper", "practical", "mark", "passed", "rank"])
    for item in candidates:
        paper = item.paper.quantize(Decimal("0.01"), ROUND_HALF_UP)
        passed = "yes" if item.passed(rules.line) else "no"
        place = ranked.index(item) + 1
        writer.writerow([item.number, item.name, paper, item.practical, item.mark, passed, place])
    return text.getvalue()


def _minutes(
    candidates: Sequence[Candidate],
    ranked: Sequence[Candidate],
    lifted: Sequence[Candidate],
    passed: int,
) -> str:
    raised = " and ".join(f"{item.name} (from {item.worked_out})" for item in lifted)
    absent = " and ".join(item.name for item in candidates if item.absent)
    best = ", ".join(item.name for item in ranked[:3])
    return (
        "# Minutes of the board (draft)\n\n"
        f"{passed} candidates passed and {len(candidates) - passed} failed. Lifted to the line: "
        f"{raised}. Absent from a practical without a note: {absent}. The three best: {best}.\n"
    )


def _record(candidates: Sequence[Candidate], lifted: Sequence[Candidate]) -> dict[str, Any]:
    return {
        "situation": f"{len(candidates)} marks are worked out by the regulations.",
        "facts": [f"{item.name}: {item.mark}" for item in candidates],
        "decision": {
            "options_considered": ["lifted", "left"],
            "choice": "lifted",
            "rationale": f"The board decided this morning to lift {len(lifted)} marks just below "
            "the line.",
            "assumptions": [],
            "question_for_requester": "",
        },
        "safety": {"marks_announced": False},
    }
