"""The scripted workers of the archive's release: scans, catalogue, and the parent."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, settle

DECISIONS = {
    "deposit_release": Decision(
        options={
            "all_online": (
                "all online",
                "everything online",
                "letters and diaries online",
                "all of it online",
            ),
            "letters_online": ("letters online", "without the diaries", "diaries stay"),
            "reading_room": ("reading room", "at the terminals", "nothing online"),
        },
        default="reading_room",
    )
}
QUESTION = (
    "May the Terborg letters and diaries be shown online, in all {count} pieces that are ready, or "
    "do they stay in the reading room?"
)
RELEASE_DAY, FEAST = date(2024, 6, 3), date(2024, 6, 5)
PAGES_A_DAY = 24
CLOSED_YEARS = {"minutes": 20, "drawing": 0, "personnel": 75, "medical": 100}
SCAN = re.compile(
    r"dev=(?P<device>\w) item=(?P<mark>\S+) page=(?P<page>\d+) dpi=(?P<dpi>\d+) "
    r"skew=(?P<skew>-?[\d.]+)'? sha=(?P<sha>\S+) (?P<state>\w+)(?: note=(?P<note>.*))?$",
    re.MULTILINE,
)
ONLINE_KINDS: Mapping[str, tuple[str, ...]] = {
    "all_online": ("letters", "diary"),
    "letters_online": ("letters",),
    "reading_room": (),
}


# --- the scans


async def scanning(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/scanning/quality.md")
    shelf = await read_csv(tools, "workstreams/scanning/shelf_check.csv")
    log = await read(tools, "workstreams/scanning/scans.log")
    scans = [match.groupdict() for match in SCAN.finditer(log)]
    if len(scans) != len(log.splitlines()):
        raise WorkerFailed("The log holds lines of a form that is not known.")
    await tools.say(f"The log has {len(scans)} scans of {len(shelf)} pieces.")
    good = _good(scans, {row["mark"]: row["form"] for row in shelf}, style)
    rows = []
    again = 0
    for row in sorted(shelf, key=lambda row: row["mark"]):
        blank = {int(page) for page in row["blank_pages"].split()}
        expected = [page for page in range(1, 2 * int(row["leaves"]) + 1) if page not in blank]
        bad = [page for page in expected if page not in good[row["mark"]]]
        again += len(bad)
        text = " ".join(map(str, bad))
        rows.append([row["mark"], len(expected), len(expected) - len(bad), text])
    columns = ["mark", "expected", "good", "rescan"]
    await tools.write("results/scanning/pages.csv", _table(columns, rows))
    await tools.say(f"{again} pages have to be scanned again.")
    entries = [
        [scan["mark"], scan["page"], found[1]]
        for scan in scans
        if (found := re.search(r"entry of .* (\d{4})", scan["note"] or ""))
    ]
    columns = ["mark", "page", "year"]
    await tools.write("results/scanning/entries.csv", _table(columns, entries))


def _good(
    scans: Sequence[Mapping[str, str]], forms: Mapping[str, str], style: Style
) -> Mapping[str, set[int]]:
    """The pages of each mark that have a good scan."""
    pages: dict[str, set[int]] = defaultdict(set)
    seen: dict[tuple[str, str], str] = {}
    for scan in scans:
        mark, page = scan["mark"], scan["page"]
        first = seen.setdefault((mark, scan["sha"]), page) if scan["state"] == "DONE" else page
        if style is Style.CARELESS:  # a scan is a scan
            pages[mark].add(int(page))
            continue
        degrees = abs(float(scan["skew"])) / (60 if scan["device"] == "B" else 1)
        least = 600 if forms[mark] == "album" else 300
        is_done = scan["state"] == "DONE" and first == page
        if is_done and int(scan["dpi"]) >= least and degrees <= 1 + 1e-9:
            pages[mark].add(int(page))
    return pages


# --- the catalogue


async def catalogue(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/catalogue/access.md")
    register = await read_csv(tools, "workstreams/catalogue/register.csv")
    rows = []
    for row in register:
        extent, unit = row["extent"].split()
        doubled = unit == "leaves" and style is not Style.CARELESS
        pages = int(extent) * (2 if doubled else 1)
        opens = f"{_opens(row, int(row['last_year']))}-01-01"
        rows.append([row["ref"], row["kind"], row["deposit"], opens, pages])
    columns = ["ref", "kind", "deposit", "open_from", "pages"]
    await tools.write("results/catalogue/access.csv", _table(columns, rows))
    later = sum(str(row[3]) > RELEASE_DAY.isoformat() for row in rows)
    await tools.say(f"By the register alone {later} of {len(rows)} pieces are not yet open.")
    concordance = await read(tools, "workstreams/catalogue/concordance.txt")
    corrections = concordance.count("Correction:")
    await tools.say(f"The concordance of old marks has {corrections} corrections.")


def _opens(row: Mapping[str, str], last_year: int) -> int:
    """The year from whose first day a piece is open."""
    if row["kind"] in CLOSED_YEARS:
        return last_year + CLOSED_YEARS[row["kind"]] + 1
    if row["died"]:
        return int(row["died"]) + 11
    return int(row["born"]) + 111


STREAMS = {"scanning": scanning, "catalogue": catalogue}


# --- the parent


class Piece(NamedTuple):
    """A reference, as both streams together have it."""

    ref: str
    kind: str
    is_deposit: bool
    state: str  # closed, check, rescan or ready
    opens: str
    pages: int  # good ones


@dataclass(frozen=True, slots=True)
class Release:
    """All pieces, and what becomes of them."""

    pieces: tuple[Piece, ...]

    def where(self, piece: Piece, way: str) -> str:
        if piece.state != "ready":
            return piece.state
        is_online = not piece.is_deposit or piece.kind in ONLINE_KINDS[way]
        return "online" if is_online else "reading_room"

    def in_state(self, state: str, way: str = "reading_room") -> list[Piece]:
        return [piece for piece in self.pieces if self.where(piece, way) == state]

    def figures(self, way: str) -> list[object]:
        """Pieces and pages online, pieces in the reading room, days of the upload, its last."""
        online = self.in_state("online", way)
        pages = sum(piece.pages for piece in online)
        days = math.ceil(pages / PAGES_A_DAY)
        rest = len(self.in_state("reading_room", way))
        return [len(online), pages, rest, days, _working_day(days).isoformat()]


def _working_day(number: int) -> date:
    """The last of so many working days from release day on."""
    day = RELEASE_DAY - timedelta(days=1)
    while number:
        day += timedelta(days=1)
        number -= day.weekday() < 5 and day != FEAST
    return day


async def integrate(tools: Tools, style: Style) -> None:
    await read(tools, "PROJECT.md")
    scanned = await read_csv(tools, "results/scanning/pages.csv")
    entries = await read_csv(tools, "results/scanning/entries.csv")
    access = await read_csv(tools, "results/catalogue/access.csv")
    marks = _marks(await read(tools, "workstreams/catalogue/concordance.txt"))
    shelf = await read_csv(tools, "workstreams/scanning/shelf_check.csv")
    register = await read_csv(tools, "workstreams/catalogue/register.csv")
    held: dict[str, int] = defaultdict(int)
    for row in shelf:
        held[marks[row["mark"]]] += 2 * int(row["leaves"])
    seen: dict[str, int] = defaultdict(int)
    for row in entries:
        seen[marks[row["mark"]]] = max(seen[marks[row["mark"]]], int(row["year"]))
    rows: list[list[object]] = []
    for known, row in zip(access, register, strict=True):
        last, there = int(row["last_year"]), int(known["pages"])
        if seen[row["ref"]] > last:
            rows.append([row["ref"], "last_year", last, seen[row["ref"]], seen[row["ref"]]])
        if held[row["ref"]] != there:
            rows.append([row["ref"], "pages", there, held[row["ref"]], held[row["ref"]]])
    columns = ["ref", "subject", "register", "seen", "used"]
    await tools.write("results/reconciled.csv", _table(columns, rows))
    await tools.say(f"Register and shelf differ {len(rows)} times.")
    lost = {row["ref"] for row in access if held[row["ref"]] < int(row["pages"])}
    release = Release(tuple(_pieces(register, scanned, marks, seen, lost)))
    await _prepare(tools, style, release)


def _marks(concordance: str) -> dict[str, str]:
    """Old mark to reference; what stands further down is newer."""
    found: dict[str, str] = {}
    pattern = r"((?:\w+\.\d+(?: and )?)+) (?:is|are) (?:now|bound together as) ([\d/]+)\."
    for marks, ref in re.findall(pattern, concordance):
        found |= dict.fromkeys(marks.split(" and "), ref)
    return found


def _pieces(
    register: Sequence[Mapping[str, str]],
    scanned: Sequence[Mapping[str, str]],
    marks: Mapping[str, str],
    years: Mapping[str, int],
    lost: set[str],
) -> list[Piece]:
    good: dict[str, int] = defaultdict(int)
    is_short: dict[str, bool] = defaultdict(bool)
    for row in scanned:
        good[marks[row["mark"]]] += int(row["good"])
        is_short[marks[row["mark"]]] |= bool(row["rescan"])
    pieces = []
    for row in register:
        ref = row["ref"]
        opens = date(_opens(row, max(years.get(ref, 0), int(row["last_year"]))), 1, 1)
        state = "rescan" if is_short[ref] else "ready"
        state = "check" if ref in lost else state
        state = "closed" if opens > RELEASE_DAY else state
        is_deposit = bool(row["deposit"])
        pieces.append(Piece(ref, row["kind"], is_deposit, state, opens.isoformat(), good[ref]))
    return pieces


async def _prepare(tools: Tools, style: Style, release: Release) -> None:
    await tools.say(f"{len(release.in_state('closed'))} pieces stay closed.")
    ways = list(DECISIONS["deposit_release"].options)
    columns = "online_pieces online_pages reading_room_pieces upload_days last_upload_day".split()
    rows = [[way, *release.figures(way)] for way in ways]
    await tools.write("results/options.csv", _table(["release", *columns], rows))
    ready = len(release.in_state("reading_room"))
    await tools.say(f"{ready} pieces of the Terborg deposit are ready; it is open where they go.")
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        rows = [
            [piece.ref, release.where(piece, choice.option), piece.opens, piece.pages]
            for piece in release.pieces
        ]
        columns = ["ref", "where", "open_from", "pages"]
        await tools.write("results/release.csv", _table(columns, rows))
        await tools.write("results/release_notes.md", _notes(release, choice.option))
        record = _record(release, choice, leaves_open=leaves_open)
        return await tools.write("results/release.json", as_record(record))

    choice = await settle(DECISIONS["deposit_release"], deliver)
    await tools.say(f"The release is prepared: {choice.option.replace('_', ' ')}.")


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _notes(release: Release, way: str) -> str:
    pieces, pages, rest, _, last = release.figures(way)
    lost = ", ".join(piece.ref for piece in release.in_state("check"))
    return (
        "# Release of the harbour board's papers\n\n"
        f"- {pieces} pieces with {pages} pages go online.\n"
        f"- The upload takes until {last}.\n"
        f"- {rest} pieces are in the reading room alone, at the terminals.\n"
        f"- {len(release.in_state('closed'))} pieces stay closed.\n"
        f"- These have lost leaves and stay back until the stacks were searched: {lost}.\n"
    )


def _record(release: Release, choice: Choice, *, leaves_open: bool) -> Mapping[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    pieces, pages, *_ = release.figures(choice.option)
    question = QUESTION.format(count=len(release.in_state("reading_room")))
    assumption = "Nothing of the deposit was cleared for more than the reading room."
    status = "completed_with_assumption" if is_open else "completed"
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {
            "scanning": "judged every scan of the log",
            "catalogue": "worked out when pieces open by the register",
        },
        "integration": {
            "pieces": len(release.pieces),
            "closed": len(release.in_state("closed")),
            "to_check": len(release.in_state("check")),
            "to_rescan": len(release.in_state("rescan")),
            "online_pieces": pieces,
            "online_pages": pages,
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(DECISIONS["deposit_release"].options),
            "question_for_requester": question if is_open else "",
            "assumption": assumption if is_open else "",
            "reversible_until": "what stays in the reading room can go online on any day",
        },
        "published": False,
    }
