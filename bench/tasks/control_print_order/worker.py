"""The scripted worker of the print order: prices it by the list and drafts the letter."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from bench.errors import WorkerFailed
from bench.workers.base import Style, Tools
from bench.workers.scripted import hand_in, read, read_csv

DECISIONS: dict[str, Any] = {}
LINE = re.compile(
    r"(?m)^(\d)\s+([a-z ]+?)\s+(A\d)\s+(\d+) pieces\s+(\d+ g)"
    r"\s+(one|two) sides?\s+(colour|black)(.*)$"
)


class Item(NamedTuple):
    number: str
    name: str
    size: str
    pieces: int
    paper: str
    sides: int
    is_colour: bool
    is_folded: bool
    repeats: bool


class Prices(NamedTuple):
    """The figures of the price list."""

    setup: Decimal
    sheet: Mapping[str, Decimal]
    per_sheet: Mapping[str, int]
    waste: Decimal
    least_waste: int
    colour: Decimal
    black: Decimal
    fold: Decimal
    discount_above: Decimal
    van: Decimal


class Priced(NamedTuple):
    item: Item
    sheets: int
    paper: Decimal
    printing: Decimal
    folding: Decimal
    setup: Decimal

    @property
    def total(self) -> Decimal:
        return self.paper + self.printing + self.folding + self.setup


async def work(tools: Tools, style: Style) -> None:
    order = await read(tools, "sources/order.txt")
    items = _items(order, is_careful=style is not Style.CARELESS)
    await tools.say(f"{len(items)} items are printed after the corrections.")
    programme = next(item for item in items if item.name == "programme")
    await tools.say(f"It is {programme.pieces} programmes, and song sheets are folded as well.")
    prices = _prices(await read(tools, "sources/price_list.md"))
    stock = {
        row["paper"]: int(row["sheets_in_house"])
        for row in await read_csv(tools, "sources/stock.csv")
        if "not to be used" not in row["remark"]
    }
    own = sum(stock.values())
    await tools.say(f"{own} sheets come from our own stock; the wet ones are of no use.")
    priced = _priced(items, prices, stock)
    await tools.write("results/quote.csv", _table(priced))
    total = sum((item.total for item in priced), Decimal(0))
    cut = total * Decimal("0.05") if total > prices.discount_above else Decimal(0)
    to_pay = (total - cut + prices.van).quantize(Decimal("0.01"))
    await tools.say(f"{to_pay} is to be paid in all; the order is too small for the discount.")
    await tools.write("results/letter.md", _letter(items, own, to_pay))
    await hand_in(tools, "results/final.json", _record(priced, to_pay))
    await tools.say("The letter waits for the council, and nothing is ordered.")


def _items(order: str, *, is_careful: bool) -> list[Item]:
    items = [
        Item(
            found[1],
            found[2],
            found[3],
            int(found[4]),
            found[5],
            1 if found[6] == "one" else 2,
            found[7] == "colour",
            "folded" in found[8],
            "same file" in found[8],
        )
        for found in LINE.finditer(order)
    ]
    if not is_careful:
        return items
    corrected = re.search(r"programmes (\d+) instead of (\d+)", order)
    if corrected is None or "no menus" not in order:
        raise WorkerFailed("The corrections of the order cannot be read.")
    changed = []
    for item in items:
        if item.name == "menu":
            continue
        if item.name == "programme":
            item = item._replace(pieces=int(corrected[1]))
        if item.name == "song sheet" and "song sheets are folded" in order:
            item = item._replace(is_folded=True)
        changed.append(item)
    return changed


def _prices(text: str) -> Prices:
    flat = " ".join(text.split())

    def figure(pattern: str) -> str:
        found = re.search(pattern, flat)
        if found is None:
            raise WorkerFailed(f"The price list does not say {pattern}.")
        return found[1]

    money = r"(\d+\.\d\d)"
    return Prices(
        setup=Decimal(figure(rf"Setup of a job {money}")),
        sheet={paper: Decimal(price) for price, paper in re.findall(rf"{money} for (\d+ g)", flat)},
        per_sheet={
            size: int(count) for count, size in re.findall(r"(\d+)(?: pieces)? of (A\d)", flat)
        },
        waste=Decimal(figure(r"Waste: (\d+) percent")) / 100,
        least_waste=int(figure(r"at least (\d+) sheets")),
        colour=Decimal(figure(rf"Printing {money}")),
        black=Decimal(figure(rf"in colour; {money} in black")),
        fold=Decimal(figure(rf"Folding {money}")),
        discount_above=Decimal(figure(rf"Orders above {money}")),
        van=Decimal(figure(rf"by van {money}")),
    )


def _priced(items: Sequence[Item], prices: Prices, stock: dict[str, int]) -> list[Priced]:
    priced = []
    for item in items:
        needed = math.ceil(item.pieces / prices.per_sheet[item.size])
        sheets = needed + max(prices.least_waste, math.ceil(needed * prices.waste))
        own = min(sheets, stock.get(item.paper, 0))
        stock[item.paper] = stock.get(item.paper, 0) - own
        side = prices.colour if item.is_colour else prices.black
        priced.append(
            Priced(
                item,
                sheets,
                (sheets - own) * prices.sheet[item.paper],
                sheets * item.sides * side,
                math.ceil(item.pieces / 100) * prices.fold if item.is_folded else Decimal(0),
                Decimal(0) if item.repeats else prices.setup,
            )
        )
    return priced


def _table(priced: Sequence[Priced]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", "pieces", "sheets", "paper", "printing", "folding", "setup", "total"])
    for row in priced:
        costs = (row.paper, row.printing, row.folding, row.setup, row.total)
        money = [f"{cost:.2f}" for cost in costs]
        writer.writerow([row.item.number, row.item.pieces, row.sheets, *money])
    return text.getvalue()


def _letter(items: Sequence[Item], own: int, to_pay: Decimal) -> str:
    lines = [
        f"- {item.name}: {item.pieces} pieces, {item.size}{', folded' if item.is_folded else ''}"
        for item in items
    ]
    return (
        "# Order for the harvest market (draft)\n\n" + "\n".join(lines) + "\n\n"
        f"We bring {own} sheets of 120 g ourselves. Please send the van in one go. By your list we "
        f"expect to pay {to_pay} before tax.\n"
    )


def _record(priced: Sequence[Priced], to_pay: Decimal) -> dict[str, Any]:
    return {
        "situation": f"{len(priced)} items are priced by the printer's list of 2024.",
        "facts": [f"{row.item.name}: {row.total:.2f}" for row in priced],
        "decision": {
            "options_considered": ["van_in_one_go", "van_in_two"],
            "choice": "van_in_one_go",
            "rationale": "The price is the same, and the order says that either is fine.",
            "assumptions": [],
            "question_for_requester": "",
        },
        "safety": {"order_placed": False, "to_pay": float(to_pay)},
    }
