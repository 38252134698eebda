"""The scripted workers of the school library: stock, rooms, and the parent that sets it up."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "arrangement": Decision(
        options={
            "by_year": ("year groups", "sorted by age", "each age"),
            "by_subject": ("by subject", "subjects together"),
            "ground_first": ("ground floor", "downstairs", "on one level"),
        },
        default="by_year",
    )
}
QUESTION = (
    "Should the library be set up by year groups, by subject, or with what is borrowed on the "
    "ground floor as far as it fits, so that {stored} titles go to the store?"
)
BANDS = {"junior": "ground", "middle": "upper", "senior": "annex"}
GROUPS = {"stories": "ground", "science": "upper", "other": "annex"}
ROOMS = ("ground", "upper", "annex")
LOANS_FROM, BOX, REACH = "2022-09-01", 40, 150
INCH = Decimal("2.54")


def _isbn(text: str) -> str:
    """Thirteen digits without hyphens, of ten characters too."""
    text = text.replace("-", "").strip()
    if len(text) == 13:
        return text
    start = "978" + text[:9]
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(start))
    return start + str(-total % 10)


# --- the stock


@dataclass(slots=True)
class Title:
    """A book of both catalogues."""

    year: int = 0
    mark: int = 0
    copies: int = 0
    spines: list[int] = field(default_factory=list)

    @property
    def band(self) -> str:
        return "junior" if self.year <= 4 else "middle" if self.year <= 8 else "senior"

    @property
    def group(self) -> str:
        if 800 <= self.mark <= 899:
            return "stories"
        return "science" if 500 <= self.mark <= 699 else "other"


async def stock(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/stock/rules.md")
    titles: dict[str, Title] = {}
    north = await read_csv(tools, "workstreams/stock/north.csv")
    for row in north:
        if row["remark"] != "withdrawn" or style is Style.CARELESS:
            copies, spine = int(row["copies"]), int(row["spine_mm"])
            _add(titles, row["isbn"], (row["years"], row["dewey"]), copies, spine)
    cards = (await read(tools, "workstreams/stock/south.txt")).strip().split("\n\n")
    await tools.say(f"Northgate lists {len(north)} titles, Southgate {len(cards)}.")
    for card in cards:
        lines = dict(line.split(maxsplit=1) for line in card.splitlines())
        there, *lost = map(int, re.findall(r"\d+", lines["COPIES"]))
        spine = round(float(lines["SPINE"].split()[0]) * 10)
        copies = there - (0 if style is Style.CARELESS else sum(lost))
        _add(titles, lines["ISBN"], (lines["FOR"], lines["SHELF"]), copies, spine)
    await tools.say(f"The two catalogues have {len(titles)} titles together.")
    loans: Counter[str] = Counter()
    for row in await read_csv(tools, "workstreams/stock/loans.csv"):
        if style is Style.CARELESS or (row["kind"] == "loan" and row["date"] >= LOANS_FROM):
            loans[_isbn(row["isbn"])] += 1
    rows = [
        [isbn, book.band, book.group, book.copies, max(book.spines), loans[isbn]]
        for isbn, book in sorted(titles.items())
    ]
    columns = "isbn band group copies spine_mm loans".split()
    await tools.write("results/stock/titles.csv", _table(columns, rows))
    await tools.say(f"{sum(row[5] == 0 for row in rows)} titles had no loan.")


def _add(
    titles: dict[str, Title], isbn: str, marks: tuple[str, str], copies: int, spine: int
) -> None:
    book = titles.setdefault(_isbn(isbn), Title())
    first = re.search(r"\d+", marks[0])
    book.year, book.mark = int(first[0]) if first else 1, int(marks[1])
    book.copies += copies
    book.spines.append(spine)


# --- the rooms


async def rooms(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/rooms/rules.md")
    planned = (await read_json(tools, "workstreams/rooms/units.json"))["units"]
    units = {unit["unit"]: dict(unit) for unit in planned}
    changes = await read(tools, "workstreams/rooms/changes.txt")
    if style is not Style.CARELESS:
        _change(units, changes)
    boards: Counter[str] = Counter()
    length = dict.fromkeys(ROOMS, Decimal(0))
    for unit in units.values():
        if "cracked" in unit["remark"]:
            continue
        is_high = unit["room"] == "ground" and unit["top_board_cm"] > REACH
        count = unit["boards"] - is_high
        boards[unit["room"]] += count
        inches = INCH if unit["unit_of_length"] == "in" else 1
        length[unit["room"]] += count * unit["length"] * inches
    rows = [[room, boards[room], _down(cm * 9 / 10), _down(cm)] for room, cm in length.items()]
    columns = ["room", "boards", "usable_cm", "full_cm"]
    await tools.write("results/rooms/rooms.csv", _table(columns, rows))
    await tools.say(f"On the ground floor {boards['ground']} boards can be used.")
    lines = await read_csv(tools, "workstreams/rooms/boxes.csv")
    counted: Counter[str] = Counter()
    for line in lines:
        if line["state"] != "first count":
            counted[_isbn(line["isbn"])] += int(line["copies"])
    twice = sum(line["state"] == "first count" for line in lines)
    count = {1: "One line was", 2: "Two lines were"}.get(twice, f"{twice} lines were")
    await tools.say(f"{count} counted twice, which leaves {sum(counted.values())} packed copies.")
    columns = ["isbn", "copies"]
    await tools.write("results/rooms/packed.csv", _table(columns, sorted(counted.items())))


def _change(units: dict[str, dict[str, Any]], changes: str) -> None:
    """What became of the units, as the list of changes tells it."""
    for line in changes.splitlines():
        found = re.search(r"\b([GUA]\d)\b", line)
        if not found:
            continue
        unit = units[found[1]]
        if "set up in the annex" in line:
            unit["room"] = "annex"
        elif "loses its lowest board" in line:
            unit["boards"] -= 1
        elif "wanted in the hall after all" in line:
            del units[found[1]]


def _down(cm: Decimal) -> Decimal:
    return Decimal(math.floor(cm * 10)) / 10


STREAMS = {"stock": stock, "rooms": rooms}


# --- the parent


class Book(NamedTuple):
    """A title of the catalogue, with what was packed of it."""

    isbn: str
    band: str
    group: str
    copies: int
    cm: Decimal
    loans: int


class Figures(NamedTuple):
    """What an arrangement comes to."""

    shelved: int
    shelved_cm: Decimal
    on_ground: int
    stored: int
    boxes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All titles, and how much each room takes."""

    books: Sequence[Book]
    usable: Mapping[str, Decimal]
    full: Mapping[str, Decimal]

    def places(self, way: str) -> dict[str, str]:
        """ISBN to room."""
        left = dict(self.usable)
        books = sorted(self.books, key=lambda book: (not book.loans, book.isbn))
        if way == "ground_first":
            left["ground"] = self.full["ground"]
            books = sorted(self.books, key=lambda book: (-book.loans, book.isbn))
        found = {}
        for book in books:
            rooms = [room for room in _wanted(book, way) if book.cm <= left[room]]
            if rooms:
                left[rooms[0]] -= book.cm
            found[book.isbn] = rooms[0] if rooms else "store"
        return dict(sorted(found.items()))

    def figures(self, way: str) -> Figures:
        places = self.places(way)
        shelved = [book for book in self.books if places[book.isbn] != "store"]
        stored = [book for book in self.books if places[book.isbn] == "store"]
        return Figures(
            len(shelved),
            sum((book.cm for book in shelved), Decimal(0)),
            sum(room == "ground" for room in places.values()),
            len(stored),
            math.ceil(sum(book.copies for book in stored) / BOX),
        )


def _wanted(book: Book, way: str) -> Sequence[str]:
    if way == "by_year":
        return (BANDS[book.band],)
    if way == "by_subject":
        return (GROUPS[book.group],)
    return ("ground", "upper") if book.loans else ()


async def integrate(tools: Tools, style: Style) -> None:
    await read(tools, "PROJECT.md")
    titles = {row["isbn"]: row for row in await read_csv(tools, "results/stock/titles.csv")}
    room_rows = await read_csv(tools, "results/rooms/rooms.csv")
    packed = {
        row["isbn"]: int(row["copies"]) for row in await read_csv(tools, "results/rooms/packed.csv")
    }
    rows = []
    for isbn in sorted(titles.keys() | packed.keys()):
        listed = int(titles[isbn]["copies"]) if isbn in titles else 0
        seen = packed.get(isbn, 0)
        if listed != seen:
            rows.append([isbn, listed, seen, seen if isbn in titles else 0])
    columns = ["isbn", "catalogue", "packed", "used"]
    await tools.write("results/reconciled.csv", _table(columns, rows))
    await tools.say(f"Boxes and catalogue differ in {len(rows)} titles.")
    books = [_book(row, packed.get(isbn, 0)) for isbn, row in titles.items()]
    usable, full = (
        {row["room"]: Decimal(row[key]) for row in room_rows} for key in ("usable_cm", "full_cm")
    )
    await _set_up(tools, style, Plan(books, usable, full))


def _book(row: Mapping[str, str], copies: int) -> Book:
    cm = Decimal(copies * int(row["spine_mm"])) / 10
    return Book(row["isbn"], row["band"], row["group"], copies, cm, int(row["loans"]))


async def _set_up(tools: Tools, style: Style, plan: Plan) -> None:
    ways = list(DECISIONS["arrangement"].options)
    rows = [[way, *plan.figures(way)] for way in ways]
    await tools.write("results/options.csv", _table(["arrangement", *Figures._fields], rows))
    stored = ", ".join(f"{plan.figures(way).stored} {way.replace('_', ' ')}" for way in ways)
    await tools.say(f"Titles that would go to the store: {stored}.")
    question = QUESTION.format(stored=plan.figures("ground_first").stored)
    question = question if style is not Style.OVERCONFIDENT else ""

    async def deliver(choice: Choice) -> Reply:
        places = list(plan.places(choice.option).items())
        await tools.write("results/places.csv", _table(["isbn", "room"], places))
        await tools.write("results/notice.md", _notice(plan.figures(choice.option)))
        record = _record(plan, choice, question)
        return await tools.write("results/set_up.json", as_record(record))

    choice = await settle(DECISIONS["arrangement"], deliver)
    await tools.say(f"Every title has its place, {choice.option.replace('_', ' ')}.")


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _notice(figures: Figures) -> str:
    return (
        "# Our library in the new wing\n\n"
        f"{figures.shelved} titles stand on the shelves, {figures.on_ground} of them on the ground "
        f"floor.\n\n{figures.stored} titles lie in the store, in {figures.boxes} boxes.\n"
    )


def _record(plan: Plan, choice: Choice, question: str) -> Mapping[str, Any]:
    is_open = bool(question) and not (choice.by_user or choice.delegated)
    figures = plan.figures(choice.option)
    status = "completed_with_assumption" if is_open else "completed"
    assumption = "Nobody has said what the library should go by, so it goes by year for now."
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {"stock": "merged the catalogues", "rooms": "measured shelves, counted boxes"},
        "integration": {
            "titles": len(plan.books),
            "quiet_titles": sum(not book.loans for book in plan.books),
            "copies": sum(book.copies for book in plan.books),
            "shelved": figures.shelved,
            "on_ground": figures.on_ground,
            "stored": figures.stored,
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(DECISIONS["arrangement"].options),
            "question_for_requester": question if is_open else "",
            "assumption": assumption if is_open else "",
            "reversible_until": "24 June, when the labels are printed",
        },
        "labels_printed": False,
    }
