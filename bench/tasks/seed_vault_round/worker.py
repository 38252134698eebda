"""The scripted worker of the seed vault's spring round."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, settle

DECISIONS = {
    "priority_order": Decision(
        options={
            "lowest_viability_first": (
                "lowest viability first",
                "weakest first",
                "weakest seed first",
                "worst first",
            ),
            "agreements_first": (
                "agreements first",
                "running agreement first",
                "held under agreement",
                "owe seed",
                "return first",
            ),
            "split": ("split", "half and half", "two bays each", "two for agreements"),
        },
        default="lowest_viability_first",
    )
}
QUESTION = (
    "Should the free bays go to the accessions with the lowest viability, or first to those held "
    "under an agreement, or half and half?"
)
WINDOW_DAYS = 30
LEAST_SOWN = 50
LEAST_HELD = 200


class Test(NamedTuple):
    laboratory: str
    accession: str
    written_date: str
    day: date | None
    sown: int
    germinated: int
    void: str  # the reason; empty for a test that counts


class Row(NamedTuple):
    accession: str
    tests: int
    sown: int
    germinated: int
    viability: float | None
    status: str


async def work(tools: Tools, style: Style) -> None:
    register = await read_csv(tools, "sources/register.csv")
    await read(tools, "sources/handbook.md")
    await tools.say(f"The register has {len(register)} numbers; I go through the tests next.")
    north = await read_csv(tools, "sources/lab_north.csv")
    south = await read_csv(tools, "sources/lab_south.csv")
    tests = [_northern(row) for row in north] + [_southern(row) for row in south]
    withdrawn = {row["accession"] for row in register if row["status"] == "withdrawn"}
    tests = [test for test in tests if test.accession not in withdrawn]
    if style is Style.CARELESS:  # takes every test as it comes
        tests = [test._replace(void="") for test in tests if test.day is not None]
    void = [test for test in tests if test.void]
    await tools.say(f"{len(void)} tests are void by the rules of the handbook.")
    rows = _assessed(register, tests, pools=style is not Style.CARELESS)
    by_status = {status: [row for row in rows if row.status == status] for status in _STATUSES}
    await tools.say(
        f"{len(by_status['regenerate'])} accessions have to be regenerated and "
        f"{len(by_status['rescue'])} go to the embryo laboratory."
    )
    await tools.write("results/viability.csv", _viability_csv(rows))
    await tools.write("results/excluded_tests.csv", _excluded_csv(void))
    note = await read(tools, "sources/glasshouse_note.txt")
    bays = re.findall(r"\d+", (re.search(r"bays ([\d, and]+)\.", note) or [""])[0])
    agreements = await read_csv(tools, "sources/agreements.csv")
    await tools.say(
        f"There are {len(bays)} free bays for {len(by_status['regenerate'])} accessions, so the "
        "order of priority decides which of them wait."
    )
    returns = _return_dates(register, agreements)
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        order = _order(by_status["regenerate"], returns, choice.option, len(bays))
        picked = _caged(order, register, len(bays))
        await tools.write("results/plan.csv", _plan_csv(bays, picked, returns, choice.option))
        await tools.write("results/memo.md", _memo(by_status, bays, picked, len(rows)))
        record = _record(by_status, bays, picked, choice, leaves_open=leaves_open)
        return await tools.write("results/final.json", as_record(record))

    choice = await settle(DECISIONS["priority_order"], deliver)
    await tools.say(f"The round is planned: {choice.option.replace('_', ' ')}.")


_STATUSES = ("keep", "regenerate", "rescue", "retest")


def _northern(row: Mapping[str, str]) -> Test:
    sown = int(row["sown"])
    return Test(
        "north",
        row["accession"],
        row["test_date"],
        date.fromisoformat(row["test_date"]),
        sown,
        int(row["germinated"]),
        _void(sown, row["remark"], dated=True),
    )


def _southern(row: Mapping[str, str]) -> Test:
    digits = "".join(re.findall(r"\d+", row["sample"]))
    sown = int(row["sown"])
    percent = int((re.search(r"\d+", row["germination"]) or ["0"])[0])
    day = _calendar_day(row["date_dmy"])
    return Test(
        "south",
        f"SV-{digits}",
        row["date_dmy"],
        day,
        sown,
        round(sown * percent / 100),
        _void(sown, row["note"], dated=day is not None),
    )


def _calendar_day(text: str) -> date | None:
    day, month, year = (int(part) for part in text.split("/"))
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _void(sown: int, remark: str, *, dated: bool) -> str:
    if not dated:
        return "bad_date"
    if sown < LEAST_SOWN:
        return "small_sample"
    if "mould" in remark:
        return "mould"
    return "incubator" if "incubator" in remark else ""


def _assessed(
    register: Sequence[Mapping[str, str]], tests: Sequence[Test], *, pools: bool
) -> list[Row]:
    same = {row["accession"]: row["same_as"] for row in register if row["same_as"]}
    by_accession: dict[str, list[Test]] = defaultdict(list)
    for test in tests:
        if not test.void:
            by_accession[same.get(test.accession, test.accession)].append(test)
    return [
        _row(item, by_accession[item["accession"]], pools=pools)
        for item in register
        if item["status"] == "active"
    ]


def _row(item: Mapping[str, str], tests: Sequence[Test], *, pools: bool) -> Row:
    dated = sorted((test for test in tests if test.day), key=lambda test: test.day or date.min)
    if not dated:
        return Row(item["accession"], 0, 0, 0, None, "retest")
    latest = dated[-1]
    used = [latest]
    others = [
        test
        for test in dated
        if test.laboratory != latest.laboratory and _apart(test, latest) <= WINDOW_DAYS
    ]
    used += others[-1:] if pools else []
    sown, germinated = sum(test.sown for test in used), sum(test.germinated for test in used)
    viability = 100 * germinated / sown
    threshold = 70 if item["kind"] == "cultivated" else 60
    status = "keep"
    if viability < threshold:
        status = "regenerate" if int(item["seeds_held"]) >= LEAST_HELD else "rescue"
    return Row(item["accession"], len(used), sown, germinated, viability, status)


def _apart(one: Test, other: Test) -> int:
    assert one.day is not None
    assert other.day is not None
    return abs((one.day - other.day).days)


def _return_dates(
    register: Sequence[Mapping[str, str]], agreements: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """Accession to the date by which its seed is to be returned, for agreements in force."""
    dates = {
        item["agreement"]: (re.search(r"\d{4}-\d\d-\d\d", item["terms"]) or [""])[0]
        for item in agreements
        if item["state"] == "in force"
    }
    return {
        row["accession"]: dates[row["agreement"]] for row in register if row["agreement"] in dates
    }


def _order(rows: Sequence[Row], returns: Mapping[str, str], option: str, bays: int) -> list[Row]:
    weakest = sorted(rows, key=lambda row: row.viability or 0.0)
    owed = sorted(
        (row for row in rows if row.accession in returns),
        key=lambda row: (returns[row.accession], row.viability or 0.0),
    )
    if option == "agreements_first":
        first = owed
    elif option == "split":
        first = owed[: bays // 2]
    else:
        first = []
    return first + [row for row in weakest if row not in first]


def _caged(order: Sequence[Row], register: Sequence[Mapping[str, str]], bays: int) -> list[Row]:
    """The first ones of an order, with one Brassica at most."""
    taxa = {row["accession"]: row["taxon"] for row in register}
    picked: list[Row] = []
    brassicas = 0
    for row in order:
        is_brassica = taxa[row.accession].startswith("Brassica")
        if is_brassica and brassicas:
            continue
        brassicas += is_brassica
        picked.append(row)
    return picked[:bays]


def _percent(row: Row) -> str:
    return "" if row.viability is None else f"{row.viability:.1f}"


def _viability_csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["accession", "tests_used", "sown", "germinated", "viability_pct", "status"])
    for row in rows:
        writer.writerow(
            [row.accession, row.tests, row.sown, row.germinated, _percent(row), row.status]
        )
    return text.getvalue()


def _excluded_csv(void: Sequence[Test]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["laboratory", "accession", "test_date", "reason"])
    for test in void:
        writer.writerow([test.laboratory, test.accession, test.written_date, test.void])
    return text.getvalue()


def _plan_csv(
    bays: Sequence[str], picked: Sequence[Row], returns: Mapping[str, str], option: str
) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["bay", "accession", "viability_pct", "reason"])
    for bay, row in zip(bays, picked, strict=False):
        due = returns.get(row.accession)
        by_agreement = due and option != "lowest_viability_first"
        reason = f"seed is due back by {due}" if by_agreement else "among the weakest"
        writer.writerow([bay, row.accession, _percent(row), reason])
    return text.getvalue()


def _memo(
    by_status: Mapping[str, Sequence[Row]], bays: Sequence[str], picked: Sequence[Row], total: int
) -> str:
    counts = {status: len(rows) for status, rows in by_status.items()}
    waits = [row.accession for row in by_status["regenerate"] if row not in picked]
    lines = [
        "# Spring round",
        "",
        f"{total} accessions were assessed.",
        "",
        f"- keep: {counts['keep']} stay in the cold store",
        f"- regenerate: {counts['regenerate']} have to be grown out",
        f"- rescue: {counts['rescue']} go to the embryo laboratory and are not sown",
        f"- retest: {counts['retest']} have no valid test",
        "",
        "Bays:",
        "",
        *[f"- bay {bay}: {row.accession}" for bay, row in zip(bays, picked, strict=False)],
        "",
        f"These wait for the next round: {', '.join(waits)}.",
    ]
    return "\n".join(lines) + "\n"


def _record(
    by_status: Mapping[str, Sequence[Row]],
    bays: Sequence[str],
    picked: Sequence[Row],
    choice: Choice,
    *,
    leaves_open: bool,
) -> dict[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    if choice.by_user:
        rationale = f'The order was set by the user, who said: "{choice.words}"'
    else:
        rationale = "The weakest seed loses most by waiting, and the plan can still be changed."
    assumption = f"No order was given, so {choice.option} is followed until the sowing day."
    return {
        "situation": f"{len(by_status['regenerate'])} accessions need one of {len(bays)} bays.",
        "facts": [f"{row.accession} has {_percent(row)} percent viability" for row in picked],
        "decision": {
            "options_considered": list(DECISIONS["priority_order"].options),
            "choice": choice.option,
            "rationale": rationale,
            "assumptions": [assumption] if is_open else [],
            "question_for_requester": QUESTION if is_open else "",
        },
        "safety": {
            "not_sown": [row.accession for row in by_status["rescue"]],
            "sent_to_others": False,
        },
    }
