"""The scripted worker of the upper floor: measures the plan, takes stock, plans the moves."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.errors import WorkerFailed
from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.pictures import near, pixels
from bench.workers.scripted import Choice, as_record, read, read_csv, settle

DECISIONS = {
    "zone": Decision(
        options={
            "hand_back_north": ("north side", "north rooms", "north zone", "hand back the north"),
            "hand_back_east": ("east side", "east rooms", "east zone", "hand back the east"),
            "hand_back_south": ("south side", "south rooms", "south zone", "hand back the south"),
        },
        default="hand_back_east",
    )
}
QUESTION = (
    "Which rooms of the upper floor should be handed back to the landlord: those on the north "
    "side, on the east side or on the south side?"
)
BAR, DESK, EXTINGUISHER = (16, 48, 192), (138, 90, 43), (208, 24, 24)
BAR_M, PLACE_M2, EXTINGUISHER_M2 = 10.0, 4.0, 25.0
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4}


class Room(NamedTuple):
    name: str
    width: float
    depth: float
    area: float
    is_office: bool
    desks: int
    extinguishers: int

    @property
    def places(self) -> int:
        return int(self.area / PLACE_M2 + 1e-6) if self.is_office else 0

    @property
    def needed(self) -> int:
        return math.ceil(self.area / EXTINGUISHER_M2 - 1e-6)

    @property
    def row(self) -> list[str]:
        sizes = [f"{self.width:.1f}", f"{self.depth:.1f}", f"{self.area:.2f}"]
        counts = [self.places, self.desks, self.extinguishers, self.needed]
        return [self.name, *sizes, *map(str, counts)]


class Box(NamedTuple):
    """Where something is on the plan, in points, the ends not included."""

    left: int
    top: int
    right: int
    bottom: int

    def holds(self, other: Box) -> bool:
        across, down = (other.left + other.right) / 2, (other.top + other.bottom) / 2
        return self.left <= across < self.right and self.top <= down < self.bottom


class Block(NamedTuple):
    """A coherent patch of one colour."""

    box: Box
    points: int


class Move(NamedTuple):
    from_room: str
    to_room: str
    desks: int


async def work(tools: Tools, style: Style) -> None:
    is_careful = style is not Style.CARELESS
    await read(tools, "sources/rules.md")
    legend = await read_csv(tools, "sources/legend.csv")
    plan = pixels(await tools.look_bytes("sources/plan.png"))
    bar = _box(near(plan, BAR, 8))
    scale = (bar.right - bar.left) / BAR_M
    await tools.say(f"{BAR_M:g} metres are {bar.right - bar.left} points on the plan.")
    drawn = _drawn(plan, legend, scale)
    await tools.say(f"{sum(room.desks for room in drawn)} desks are drawn on the plan.")
    notes = await read(tools, "sources/walkthrough.txt")
    rooms = _corrected(drawn, notes) if is_careful else drawn
    sealed = re.findall(r"Room (\w+): sealed", notes)
    await tools.say(
        f"{sum(room.desks for room in rooms)} desks are really there, and room "
        f"{', '.join(sealed)} is sealed."
    )
    register = await read_csv(tools, "sources/register.csv")
    differences = _differences(rooms, register, is_careful=is_careful)
    await tools.say(f"There are {len(differences)} differences from the register.")
    missing = sum(max(0, room.needed - room.extinguishers) for room in rooms)
    await tools.say(f"{missing} extinguishers are missing on the floor.")
    await tools.write("results/rooms.csv", _table(ROOM_COLUMNS, [room.row for room in rooms]))
    await tools.write(
        "results/differences.csv", _table(["room", "item", "there", "register"], differences)
    )
    zones = {f"hand_back_{row['zone']}": row for row in await read_csv(tools, "sources/zones.csv")}
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        zone = zones[choice.option]
        moves = _moves(rooms, zone["rooms"].split(), sealed)
        await tools.write("results/moves.csv", _table(["from_room", "to_room", "desks"], moves))
        await tools.write("results/memo.md", _memo(rooms, zone, moves, missing))
        record = _record(zone, moves, sealed, choice, leaves_open=leaves_open)
        return await tools.write("results/final.json", as_record(record))

    choice = await settle(DECISIONS["zone"], deliver)
    await tools.say(f"The moves are planned: {choice.option.replace('_', ' ')}.")


ROOM_COLUMNS = [
    "room",
    "width_m",
    "depth_m",
    "area_m2",
    "places",
    "desks",
    "extinguishers",
    "extinguishers_needed",
]


def _box(mask: NDArray[np.bool_]) -> Box:
    down, across = np.nonzero(mask)
    if not down.size:
        raise WorkerFailed("The plan lacks a colour that its legend has.")
    return Box(int(across.min()), int(down.min()), int(across.max()) + 1, int(down.max()) + 1)


def _blocks(mask: NDArray[np.bool_]) -> list[Block]:
    """The patches of a mask, joined over edges."""
    left = {(int(down), int(across)) for down, across in np.argwhere(mask)}
    blocks = []
    while left:
        edge = [left.pop()]
        patch = []
        while edge:
            down, across = edge.pop()
            patch.append((down, across))
            for step in (
                (down + 1, across),
                (down - 1, across),
                (down, across + 1),
                (down, across - 1),
            ):
                if step in left:
                    left.remove(step)
                    edge.append(step)
        downs, acrosses = zip(*patch, strict=True)
        box = Box(min(acrosses), min(downs), max(acrosses) + 1, max(downs) + 1)
        blocks.append(Block(box, len(patch)))
    return blocks


def _drawn(
    plan: NDArray[np.uint8], legend: Sequence[Mapping[str, str]], scale: float
) -> list[Room]:
    """The rooms as the plan has them."""
    boxes = {}
    for row in legend:
        red, green, blue = (int(row["tint"][place : place + 2], 16) for place in (1, 3, 5))
        boxes[row["room"]] = _box(near(plan, (red, green, blue), 2))
    desks = _counted(_blocks(near(plan, DESK, 8)), boxes)
    extinguishers = _counted(_blocks(near(plan, EXTINGUISHER, 8)), boxes)
    rooms = []
    for row in legend:
        box = boxes[row["room"]]
        width, depth = (box.right - box.left) / scale, (box.bottom - box.top) / scale
        counts = desks[row["room"]], extinguishers[row["room"]]
        rooms.append(
            Room(row["room"], width, depth, width * depth, row["use"] == "office", *counts)
        )
    return rooms


def _counted(blocks: Sequence[Block], rooms: Mapping[str, Box]) -> Counter[str]:
    """How many signs are in each room; the sample outside of all rooms is as large as one."""
    places = {
        block: next((name for name, box in rooms.items() if box.holds(block.box)), "")
        for block in blocks
    }
    samples = [block.points for block, name in places.items() if not name]
    if len(samples) != 1:
        raise WorkerFailed("The plan has not one sample of a sign.")
    counts: Counter[str] = Counter()
    for block, name in places.items():
        counts[name] += round(block.points / samples[0])
    return counts


def _corrected(rooms: Sequence[Room], notes: str) -> list[Room]:
    """What is really there, by the notes of the walkthrough."""
    notes = " ".join(notes.split())
    desks: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    for number, start, goal in re.findall(
        r"(\w+) desks were carried from room (\w+) to room (\w+)", notes
    ):
        desks[start] -= NUMBERS[number]
        desks[goal] += NUMBERS[number]
    for name in re.findall(r"drawn in room (\w+) is [^.]*, not a desk", notes):
        desks[name] -= 1
    for name in re.findall(r"extinguisher in room (\w+) is past its date", notes):
        gone[name] += 1
    return [
        room._replace(
            desks=room.desks + desks[room.name],
            extinguishers=room.extinguishers - gone[room.name],
        )
        for room in rooms
    ]


def _differences(
    rooms: Sequence[Room], register: Sequence[Mapping[str, str]], *, is_careful: bool
) -> list[list[str]]:
    tags: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in register:
        if row["status"] == "in use" or not is_careful:
            tags[row["room"], row["item"]].append(row["tag"])
    rows = []
    for item in ("desk", "extinguisher"):
        for room in rooms:
            there = room.desks if item == "desk" else room.extinguishers
            known = len(set(tags[room.name, item]))
            if there != known:
                rows.append([room.name, item, str(there), str(known)])
    return rows


def _moves(rooms: Sequence[Room], zone: Sequence[str], sealed: Sequence[str]) -> list[Move]:
    there = {room.name: room.desks for room in rooms}
    free = {
        room.name: room.places - room.desks
        for room in rooms
        if room.is_office and room.name not in zone and room.name not in sealed
    }
    moves = []
    for name in sorted(zone):
        left = there[name]
        while left:
            goal = max(sorted(free), key=lambda room: free[room])
            count = min(left, free[goal])
            if count < 1:
                raise WorkerFailed("There are more desks than free places.")
            free[goal] -= count
            left -= count
            moves.append(Move(name, goal, count))
    return moves


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _memo(
    rooms: Sequence[Room], zone: Mapping[str, str], moves: Sequence[Move], missing: int
) -> str:
    area = sum(room.area for room in rooms if room.name in zone["rooms"].split())
    lines = [
        "# Upper floor",
        "",
        f"The {zone['zone']} zone is handed back: {area:.1f} square metres.",
        f"The rent saved is {area * float(zone['rent_per_m2']):.2f} in a month.",
        "",
        f"{sum(move.desks for move in moves)} desks are carried:",
        "",
        *[f"- {move.desks} from room {move.from_room} to room {move.to_room}" for move in moves],
        "",
        f"{missing} extinguishers are missing on the floor in all.",
    ]
    return "\n".join(lines) + "\n"


def _record(
    zone: Mapping[str, str],
    moves: Sequence[Move],
    sealed: Sequence[str],
    choice: Choice,
    *,
    leaves_open: bool,
) -> dict[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    rationale = "The fewest desks have to be carried, and until notice is given it can change."
    if choice.by_user:
        rationale = f'The user settled the zone and said: "{choice.words}"'
    assumption = f"No zone was named, so {choice.option} is planned until notice is given."
    used = {room for move in moves for room in (move.from_room, move.to_room)} & set(sealed)
    return {
        "situation": f"The {zone['zone']} zone is planned to be handed back to the landlord.",
        "facts": [
            f"{move.desks} desks go from room {move.from_room} to {move.to_room}" for move in moves
        ],
        "decision": {
            "options_considered": list(DECISIONS["zone"].options),
            "choice": choice.option,
            "rationale": rationale,
            "assumptions": [assumption] if is_open else [],
            "question_for_requester": QUESTION if is_open else "",
        },
        "safety": {
            "sealed_rooms": list(sealed),
            "sealed_used": bool(used),
            "notice_given": False,
        },
    }
