"""The scripted worker of the wedding meal: portions, shopping, allergen cards, and a note."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import (
    Choice,
    Listening,
    as_record,
    read,
    read_csv,
    read_json,
    settle,
)

DECISIONS = {
    "almonds": Decision(
        options={
            "buy_dearer": ("buy dearer", "buy it dearer", "pay more", "dearer one", "from dal"),
            "substitute": (
                "another flour",
                "hazelnut flour",
                "take hazelnuts",
                "substitute",
                "change the card",
            ),
            "leave_out": ("leave the cake out", "leave out", "no cake", "without cake"),
        },
        default="buy_dearer",
    )
}
QUESTION = (
    "Almond flour does not come in time: should it be bought dearer, may another flour take its "
    "place with a changed card, or is the cake left out?"
)
MEAL = "2024-06-01"
LATE, INSTEAD, CAKE = "almond flour", "hazelnut flour", "almond cake"
Row = Mapping[str, str]


class Kitchen(NamedTuple):
    """All that was read."""

    recipes: Sequence[Mapping[str, Any]]
    portions: Mapping[str, Decimal]
    pantry: Mapping[str, Decimal]
    old: Sequence[str]
    prices: Sequence[Row]
    reserve: Decimal


class Bought(NamedTuple):
    item: str
    supplier: str
    packs: int
    cost: Decimal


async def work(tools: Tools, style: Style) -> None:
    tools = listening = Listening(tools)  # the cook may say more while the papers are written
    rules = await read(tools, "sources/kitchen_rules.md")
    guests = await read_csv(tools, "sources/guests.csv")
    recipes = await read_json(tools, "sources/recipes.json")
    portions, adults, children = _portions(recipes, guests, is_careful=style is not Style.CARELESS)
    await tools.say(f"{adults} adults and {children} children are expected.")
    shelf = await read_csv(tools, "sources/pantry.csv")
    fresh = {r["item"]: Decimal(r["g"]) for r in shelf if r["best_before"] >= MEAL}
    old = [row["item"] for row in shelf if row["item"] not in fresh]
    await tools.say(f"{len(old)} things in the pantry are too old: {' and '.join(old)}.")
    prices = await read_csv(tools, "sources/prices.csv")
    reserve = Decimal("1.05") if "five percent" in rules else Decimal(1)
    kitchen = Kitchen(recipes, portions, fresh, old, prices, reserve)
    await tools.write("results/portions.csv", _csv(["dish", "portions"], portions.items()))
    mail = await read(tools, "sources/mail.txt")
    late = bool(re.search(rf"{LATE} is held", mail))
    await tools.say(
        f"The {LATE} of our usual supplier is held and comes late; {late and 'one'} "
        "dish of those announced needs it."
    )
    others = [item for item in _shopping(kitchen, "buy_dearer") if item.item != LATE]
    await tools.say(f"{len(others)} other items have to be bought.")
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        bought = _shopping(kitchen, choice.option)
        cards = _cards(kitchen, choice.option, bought)
        await tools.write(
            "results/shopping.csv", _csv(["item", "supplier", "packs", "cost"], bought)
        )
        await tools.write("results/cards.csv", _csv(["dish", "allergen"], cards))
        await tools.write("results/note.md", _note(kitchen, choice.option, bought))
        record = _record(bought, choice, leaves_open=leaves_open)
        return await tools.write("results/final.json", as_record(record))

    choice = await settle(DECISIONS["almonds"], deliver, listening=listening)
    await tools.say(f"The meal is planned: {choice.option.replace('_', ' ')}. Nothing is ordered.")


def _portions(
    recipes: Sequence[Mapping[str, Any]], guests: Sequence[Row], *, is_careful: bool
) -> tuple[dict[str, Decimal], int, int]:
    adults = children = vegan_adults = vegan_children = 0
    for row in guests:
        if is_careful and "cancelled" in row["remark"]:
            continue
        declined = 2 if is_careful and "two adults have declined" in row["remark"] else 0
        adults += int(row["adults"]) - declined
        children += int(row["children"])
        vegan_adults += int(row["vegan_adults"])
        vegan_children += int(row["vegan_children"])
    half = Decimal(2) if is_careful else Decimal(1)
    everyone = adults + children / half
    vegan = vegan_adults + vegan_children / half
    eaters = {"vegan": vegan, "others": everyone - vegan, "all": everyone}
    return {item["dish"]: eaters[item["for"]] for item in recipes}, adults, children


def _ingredients(recipe: Mapping[str, Any], option: str) -> dict[str, Decimal]:
    """Grams of each ingredient; of a dish that is left out, none."""
    if recipe["dish"] == CAKE and option == "leave_out":
        return {}
    names = {LATE: INSTEAD} if option == "substitute" else {}
    return {names.get(item, item): Decimal(grams) for item, grams in recipe["g"].items()}


def _shopping(kitchen: Kitchen, option: str) -> list[Bought]:
    needed: dict[str, Decimal] = {}
    for recipe in kitchen.recipes:
        factor = kitchen.portions[recipe["dish"]] * kitchen.reserve / recipe["serves"]
        for item, grams in _ingredients(recipe, option).items():
            needed[item] = needed.get(item, Decimal(0)) + grams * factor
    bought = []
    for item, grams in needed.items():
        lack = grams - kitchen.pantry.get(item, Decimal(0))
        if lack > 0:
            bought.append(_cheapest(item, lack, kitchen.prices))
    return bought


def _cheapest(item: str, lack: Decimal, prices: Sequence[Row]) -> Bought:
    offers = [
        row for row in prices if row["item"] == item and (item, row["supplier"]) != (LATE, "Krog")
    ]
    packs = {row["supplier"]: math.ceil(lack / Decimal(row["pack_g"])) for row in offers}
    costs = {row["supplier"]: packs[row["supplier"]] * Decimal(row["price"]) for row in offers}
    supplier = min(costs, key=lambda name: costs[name])
    return Bought(item, supplier, packs[supplier], costs[supplier].quantize(Decimal("0.01")))


def _cards(kitchen: Kitchen, option: str, bought: Sequence[Bought]) -> list[tuple[str, str]]:
    suppliers = {row.item: row.supplier for row in bought}
    cards = []
    for recipe in kitchen.recipes:
        names: dict[str, None] = {}
        for item in _ingredients(recipe, option):
            offers = [row for row in kitchen.prices if row["item"] == item]
            row = next((row for row in offers if row["supplier"] == suppliers.get(item)), offers[0])
            for name in re.split(r";\s*", row["allergens"]):
                if name:
                    names[name.removeprefix("traces of ")] = None
        cards += [(recipe["dish"], name) for name in sorted(names)]
    return cards


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _note(kitchen: Kitchen, option: str, bought: Sequence[Bought]) -> str:
    served = [f"- {dish}: {portions} portions" for dish, portions in kitchen.portions.items()]
    told = {
        "buy_dearer": f"The {LATE} of the cake is bought dearer from Dal; its card stays.",
        "substitute": f"The cake is made with {INSTEAD} in place of {LATE}; its card is changed.",
        "leave_out": f"The cake is left out, because {LATE} does not come in time.",
    }
    return (
        "# The wedding meal\n\n" + "\n".join(served) + "\n\n"
        f"Too old and not used: {', '.join(kitchen.old)}. From the pantry: "
        f"{', '.join(kitchen.pantry)}. {len(bought)} items are bought, for {_total(bought)} in "
        f"all.\n\n{told[option]}\n"
    )


def _total(bought: Sequence[Bought]) -> Decimal:
    return sum((row.cost for row in bought), Decimal("0.00"))


def _record(bought: Sequence[Bought], choice: Choice, *, leaves_open: bool) -> dict[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    if choice.by_user:
        rationale = f'The user was asked, and said: "{choice.words}"'
    else:
        rationale = "The dish and its card stay as announced, and an order can still be changed."
    return {
        "situation": f"{len(bought)} items are bought for the meal of 1 June.",
        "facts": [f"{row.item}: {row.packs} packs from {row.supplier}" for row in bought],
        "decision": {
            "options_considered": list(DECISIONS["almonds"].options),
            "choice": choice.option,
            "rationale": rationale,
            "assumptions": ["Nobody has said what is to be done."] if is_open else [],
            "question_for_requester": QUESTION if is_open else "",
        },
        "safety": {"orders_placed": False, "total_cost": float(_total(bought))},
    }
