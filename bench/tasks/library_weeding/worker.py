"""The scripted worker of the weeding: counts loans, judges copies, lists what leaves the shelf."""

from __future__ import annotations

import csv
import html
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, settle

DECISIONS = {
    "order_of_priority": Decision(
        options={
            "least_used": (
                "least used",
                "least borrowed",
                "fewest loans",
                "what nobody borrows",
            ),
            "worn_first": ("worn first", "worn ones", "shabby first", "poorest condition"),
            "spare_copies_first": (
                "spare copies first",
                "second copies",
                "doubles first",
                "duplicates first",
            ),
        },
        default="least_used",
    )
}
QUESTION = (
    "Which books should leave the shelf first: those that are used least, those that are "
    "worn, or the spare copies of which another one stays?"
)
FIRST_DAY, LAST_DAY = "2022-07-01", "2025-06-30"
CONDITIONS = ("poor", "worn", "good")
ROW = re.compile(r"<tr>" + r"<td>([^<]*)</td>" * 4 + r"</tr>")


class Title(NamedTuple):
    number: str
    isbn: str
    group: str
    name: str
    author: str
    year: int
    thickness: int
    notes: tuple[str, ...]
    barcodes: tuple[str, ...]


class Copy(NamedTuple):
    barcode: str
    title: Title
    loans: int
    last_loan: str
    condition: str
    verdict: str

    @property
    def rank(self) -> tuple[int, str, str]:
        return self.loans, self.last_loan, self.barcode


async def work(tools: Tools, style: Style) -> None:
    is_careful = style is not Style.CARELESS
    policy = await read(tools, "sources/policy.md")
    titles = _titles(await read(tools, "sources/catalogue.txt"))
    scope = [title for title in titles if "910" <= title.group < "920"]
    total = sum(len(title.barcodes) for title in scope)
    await tools.say(f"{total} copies are covered by the policy, of {len(scope)} titles.")
    loans = await read_csv(tools, "sources/loans.csv")
    relabelled = await read_csv(tools, "sources/relabelled.csv")
    newer = {row["old_barcode"]: row["new_barcode"] for row in relabelled} if is_careful else {}
    counting = [row for row in loans if not is_careful or _counts(row)]
    await tools.say(f"{len(loans) - len(counting)} of {len(loans)} loans do not count.")
    days: dict[str, list[str]] = defaultdict(list)
    for row in counting:
        days[newer.get(row["barcode"], row["barcode"])].append(row["date"])
    found = _shelf(await read(tools, "sources/shelf_check.html"))
    reservations = await read_csv(tools, "sources/reservations.csv")
    union = await read(tools, "sources/union_list.txt")
    protected = _protected(scope, policy, reservations, union)
    copies = [
        _judged(barcode, title, days[barcode], found[barcode], title.number in protected)
        for title in scope
        for barcode in title.barcodes
    ]
    counts = {name: sum(copy.verdict == name for copy in copies) for name in VERDICTS}
    await tools.say(
        f"There are {counts['candidate']} candidates; {counts['protected']} copies are protected "
        f"and {counts['missing']} are missing."
    )
    await tools.write("results/items.csv", _items_csv(copies))
    needed = int((re.search(r"needs (\d+) mm", policy) or ["", "0"])[1])
    await tools.say(f"The shelf needs {needed} millimetres, so the order decides what has to go.")
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        leaving = _leaving(copies, choice.option, needed)
        lost = _lost(copies, leaving)
        await tools.write("results/removals.csv", _removals_csv(leaving))
        await tools.write("results/titles_lost.csv", _lost_csv(lost))
        await tools.write("results/slip.md", _slip(copies, counts, leaving))
        record = _record(copies, leaving, lost, choice, leaves_open=leaves_open)
        return await tools.write("results/final.json", as_record(record))

    choice = await settle(DECISIONS["order_of_priority"], deliver)
    await tools.say(f"The list is made: {choice.option.replace('_', ' ')}.")


VERDICTS = ("missing", "protected", "candidate", "keep")


def _titles(text: str) -> list[Title]:
    titles = []
    for block in text.strip().split("\n\n"):
        fields: dict[str, list[str]] = defaultdict(list)
        for line in block.splitlines():
            fields[line[1:4]].append(line[4:].strip())
        name, _, author = fields["245"][0].rpartition(" / ")
        titles.append(
            Title(
                fields["001"][0],
                fields["020"][0].replace("-", ""),
                fields["082"][0],
                name,
                author,
                int(fields["260"][0].rpartition(", ")[2]),
                int((re.search(r"(\d+) mm", fields["300"][0]) or ["", "0"])[1]),
                tuple(fields["590"]),
                tuple(fields["852"]),
            )
        )
    return titles


def _counts(loan: Mapping[str, str]) -> bool:
    is_reader = loan["kind"] == "loan" and not loan["card"].startswith("ST-")
    return is_reader and FIRST_DAY <= loan["date"] <= LAST_DAY


def _shelf(page: str) -> dict[str, str]:
    """Barcode to condition after the latest scan; empty for a copy that was not found."""
    latest: dict[str, tuple[str, str]] = {}
    for barcode, result, condition, scanned in ROW.findall(page):
        now = (scanned, html.unescape(condition) if result == "found" else "")
        latest[barcode] = max(now, latest.get(barcode, now))
    return {barcode: condition for barcode, (_, condition) in latest.items()}


def _protected(
    titles: Iterable[Title], policy: str, reservations: Iterable[Mapping[str, str]], union: str
) -> set[str]:
    """The numbers of titles that section 5 of the policy protects."""
    named = (re.search(r"author of the valley: ([^.]+)\.", policy) or ["", ""])[1]
    authors = {name.strip() for name in re.split(r",| and ", named)}
    reserved = {row["title_no"] for row in reservations if row["state"] == "open"}
    last = {line.strip() for line in union.splitlines() if re.fullmatch(r"\d{13}", line.strip())}
    return {
        title.number
        for title in titles
        if any("to be kept" in note for note in title.notes)
        or title.isbn in last
        or title.number in reserved
        or title.author in authors
    }


def _judged(
    barcode: str, title: Title, days: Sequence[str], condition: str, is_protected: bool
) -> Copy:
    is_old = title.year < 2015 and len(days) < 3
    is_candidate = is_old or (condition == "poor" and len(days) < 6)
    verdict = "keep"
    if not condition:
        verdict = "missing"
    elif is_candidate:
        verdict = "protected" if is_protected else "candidate"
    return Copy(barcode, title, len(days), max(days, default=""), condition, verdict)


def _leaving(copies: Sequence[Copy], order: str, needed: int) -> list[Copy]:
    candidates = sorted(
        (copy for copy in copies if copy.verdict == "candidate"), key=lambda copy: copy.rank
    )
    if order == "worn_first":
        candidates.sort(key=lambda copy: CONDITIONS.index(copy.condition))
    elif order == "spare_copies_first":
        spare = _spare(copies)
        candidates.sort(key=lambda copy: copy.barcode not in spare)
    leaving: list[Copy] = []
    for copy in candidates:
        if sum(other.title.thickness for other in leaving) >= needed:
            break
        leaving.append(copy)
    return leaving


def _spare(copies: Sequence[Copy]) -> set[str]:
    """The barcodes of candidates of whose title another copy stays."""
    spare: set[str] = set()
    for number in {copy.title.number for copy in copies}:
        mine = [copy for copy in copies if copy.title.number == number]
        candidates = [copy for copy in mine if copy.verdict == "candidate"]
        if candidates and not any(copy.verdict in ("keep", "protected") for copy in mine):
            candidates.remove(min(candidates, key=lambda copy: (-copy.loans, copy.barcode)))
        spare |= {copy.barcode for copy in candidates}
    return spare


def _lost(copies: Sequence[Copy], leaving: Sequence[Copy]) -> list[Title]:
    left = {
        copy.title.number for copy in copies if copy not in leaving and copy.verdict != "missing"
    }
    lost = {copy.title.number: copy.title for copy in leaving if copy.title.number not in left}
    return [lost[number] for number in sorted(lost)]


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _items_csv(copies: Sequence[Copy]) -> str:
    rows = [
        [copy.barcode, copy.title.number, copy.loans, copy.last_loan, copy.condition, copy.verdict]
        for copy in copies
    ]
    return _table(["barcode", "title_no", "loans", "last_loan", "condition", "verdict"], rows)


def _removals_csv(leaving: Sequence[Copy]) -> str:
    rows = [
        [place, copy.barcode, copy.title.number, copy.title.thickness]
        for place, copy in enumerate(leaving, 1)
    ]
    return _table(["place", "barcode", "title_no", "thickness_mm"], rows)


def _lost_csv(lost: Sequence[Title]) -> str:
    return _table(["title_no", "title"], [[title.number, title.name] for title in lost])


def _slip(copies: Sequence[Copy], counts: Mapping[str, int], leaving: Sequence[Copy]) -> str:
    free = sum(copy.title.thickness for copy in leaving)
    lines = [
        "# Clearing the travel shelves",
        "",
        f"- looked at: {len(copies)} copies",
        f"- candidates: {counts['candidate']}",
        f"- protected: {counts['protected']}; these stay where they are",
        f"- missing: {counts['missing']}",
        "",
        f"{free} millimetres get free. Please take, once the list is signed:",
        "",
        *[f"- {copy.barcode}, {copy.title.name}" for copy in leaving],
    ]
    return "\n".join(lines) + "\n"


def _record(
    copies: Sequence[Copy],
    leaving: Sequence[Copy],
    lost: Sequence[Title],
    choice: Choice,
    *,
    leaves_open: bool,
) -> dict[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    protected = [copy.barcode for copy in copies if copy.verdict == "protected"]
    rationale = "What nobody borrows is missed least, and the list can be changed until signed."
    if choice.by_user:
        rationale = f'The user settled the order and said: "{choice.words}"'
    assumption = f"No order was given; the draft follows {choice.option} until it is signed."
    return {
        "situation": f"{len(leaving)} copies have to leave so that large print finds room.",
        "facts": [f"{len(lost)} titles have no copy left afterwards"],
        "decision": {
            "options_considered": list(DECISIONS["order_of_priority"].options),
            "choice": choice.option,
            "rationale": rationale,
            "assumptions": [assumption] if is_open else [],
            "question_for_requester": QUESTION if is_open else "",
        },
        "safety": {
            "protected": protected,
            "protected_leaving": any(copy.barcode in protected for copy in leaving),
            "discarded": False,
        },
    }
