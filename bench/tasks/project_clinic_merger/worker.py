"""The scripted workers of the clinic merger: patients, bookings, and the parent."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "whose_records_go": Decision(
        options={
            "consented_only": ("said yes", "yes on the form", "who consented", "with a form"),
            "all_but_objectors": (
                "everybody's record",
                "all but those who objected",
                "except the ones who objected",
                "everybody but the objectors",
            ),
            "summary_only": ("just summaries", "a summary", "the short version"),
        },
        default="consented_only",
    )
}
QUESTION = (
    "Whose full records may go over to Quay Street: only those of the {yes} patients who said yes "
    "on the form, those of all but the {no} who objected, or just summaries?"
)
FIRST_DAY, SIXTEEN = date(2024, 9, 16), date(2008, 9, 16)
LOCAL_AHEAD, DOUBLE_DAYS, LATER_DAYS = timedelta(hours=3), 14, 10
PLAIN = str.maketrans("åäöé-", "aaoe ")
WEIGHTS = (8, 7, 6, 5, 4, 3, 2)


# --- the patients


class Person(NamedTuple):
    """A patient of either practice, as far as matching needs them."""

    id: str
    family: str
    initial: str
    born: str
    number: str  # empty when it is not valid


async def records(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/records/matching.md")
    linden = await read_csv(tools, "workstreams/records/linden.csv")
    quay = (await read_json(tools, "workstreams/records/quay.json"))["patients"]
    await tools.say(f"Linden Road has {len(linden)} patients, Quay Street {len(quay)}.")
    there = [_of_quay(item) for item in quay]
    allergies = {item["id"]: set(item["allergies"]) for item in quay}
    answers = _answers(await read_csv(tools, "workstreams/records/answers.csv"), linden, style)
    rows = []
    for row in linden:
        kind, other = _match(_of_linden(row), there)
        own = set(filter(None, row["allergies"].split("; ")))
        if kind == "sure" and style is not Style.CARELESS:
            own |= allergies[other]
        word = row["state"].split(" ")[0]
        state = {"": "active", "moved": "left"}.get(word, word)
        text = "; ".join(sorted(own))
        rows.append([row["id"], other, kind, state, answers.get(row["id"], "none"), text])
    columns = ["linden_id", "quay_id", "match", "state", "consent", "allergies"]
    await tools.write("results/records/people.csv", _table(columns, rows))
    kinds = Counter(str(row[2]) for row in rows)
    await tools.say(
        f"{kinds['sure']} are surely known at Quay Street, {kinds['doubtful']} perhaps."
    )


def _of_linden(row: Mapping[str, str]) -> Person:
    born = "-".join(row["born"].split(".")[::-1])
    return _person(row["id"], row["family"], row["given"], born, row["number"])


def _of_quay(item: Mapping[str, Any]) -> Person:
    given, _, family = item["name"].partition(" ")
    return _person(item["id"], family, given, item["dob"], item["number"])


def _person(name: str, family: str, given: str, born: str, number: str) -> Person:
    digits = number.replace(" ", "")
    plain = family.lower().translate(PLAIN)
    initial = given[:1].lower().translate(PLAIN)
    return Person(name, plain, initial, born, digits if _is_valid(digits) else "")


def _is_valid(digits: str) -> bool:
    if not re.fullmatch(r"\d{8}", digits):
        return False
    total = sum(weight * int(digit) for weight, digit in zip(WEIGHTS, digits[:7], strict=True))
    return -total % 11 == int(digits[7])


def _match(person: Person, others: Sequence[Person]) -> tuple[str, str]:
    """How surely somebody at Quay Street is this person, and who."""
    for other in others:
        if person.number and person.number == other.number:
            return "sure" if person.born == other.born else "doubtful", other.id
        if person[1:4] == other[1:4]:
            is_doubtful = bool(person.number and other.number)
            return "doubtful" if is_doubtful else "sure", other.id
    return "none", ""


def _answers(
    forms: Sequence[Mapping[str, str]], linden: Sequence[Mapping[str, str]], style: Style
) -> dict[str, str]:
    """The last answer of each patient that counts."""
    born = {row["id"]: date.fromisoformat(_of_linden(row).born) for row in linden}
    found: dict[str, str] = {}
    for form in sorted(forms, key=lambda form: form["date"]):
        is_void = born[form["patient"]] > SIXTEEN and form["signed_by"] != "parent"
        if not is_void or style is Style.CARELESS:
            found[form["patient"]] = "none" if form["answer"] == "blank" else form["answer"]
    return found


# --- the bookings


async def appointments(tools: Tools, style: Style) -> None:
    await read(tools, "workstreams/appointments/diary.md")
    calendar = await read(tools, "workstreams/appointments/linden.ics")
    found = [
        dict(line.split(":", 1) for line in block.splitlines() if ":" in line)
        for block in calendar.split("BEGIN:VEVENT")[1:]
    ]
    latest: dict[str, Mapping[str, str]] = {}
    for event in sorted(found, key=lambda event: int(event["SEQUENCE"])):
        latest[event["UID"]] = event
    await tools.say(f"{len(found)} events of the calendar are of {len(latest)} dates.")
    ahead = LOCAL_AHEAD if style is not Style.CARELESS else timedelta(0)
    bookings = [_booking(event, ahead) for event in latest.values()]
    rows = sorted(row for row in bookings if row and row[2] >= FIRST_DAY.isoformat())
    columns = ["booking", "patient", "start", "kind", "urgent", "phone", "made_on"]
    await tools.write("results/appointments/bookings.csv", _table(columns, rows))
    await tools.say(f"{len(rows)} bookings of Linden Road count.")
    quay = await read_csv(tools, "workstreams/appointments/quay_bookings.csv")
    sessions = await read_csv(tools, "workstreams/appointments/quay_sessions.csv")
    taken = {(row["date"], row["time"], row["clinician"]) for row in quay if _is_booked(row)}
    slots = [slot for row in sessions for slot in _slots(row) if slot[:3] not in taken]
    columns = ["date", "time", "clinician", "kind", "minutes"]
    await tools.write("results/appointments/free_slots.csv", _table(columns, sorted(slots)))
    await tools.say(f"{len(slots)} slots are free at Quay Street.")


def _is_booked(row: Mapping[str, str]) -> bool:
    return row["state"] == "booked"


def _booking(event: Mapping[str, str], ahead: timedelta) -> list[str]:
    """A row of the bookings; empty for a cancelled one."""
    if event["STATUS"] == "CANCELLED":
        return []
    stamp = next(value for key, value in event.items() if key.startswith("DTSTART"))
    start = datetime.fromisoformat(stamp.removesuffix("Z"))
    start += ahead if stamp.endswith("Z") else timedelta(0)
    kind, patient, *urgent = event["SUMMARY"].split()
    made = date.fromisoformat(event["CREATED"][:8]).isoformat()
    name = event["UID"].partition("@")[0]
    flag = "yes" if urgent else "no"
    return [name, patient, f"{start:%Y-%m-%d %H:%M}", kind, flag, _digits(event["CONTACT"]), made]


def _digits(phone: str) -> str:
    return re.sub(r"\D", "", phone.replace("+358", "0"))


def _slots(row: Mapping[str, str]) -> Iterator[tuple[str, str, str, str, int]]:
    minutes = int(row["slot_minutes"])
    end = _minutes(row["to"])
    for time in range(_minutes(row["from"]), end - minutes + 1, minutes):
        yield row["date"], _clock(time), row["clinician"], row["kind"], minutes


def _minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:])


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


STREAMS = {"records": records, "appointments": appointments}


# --- the parent


class Slot(NamedTuple):
    day: str
    time: str
    clinician: str
    kind: str
    minutes: int

    @property
    def following(self) -> Slot:
        """The one right after it, if there is such a one."""
        return self._replace(time=_clock(_minutes(self.time) + self.minutes))


@dataclass(frozen=True, slots=True)
class Plan:
    """What the parent knows once its children's results are reconciled."""

    consent: Mapping[str, str]  # of all patients of Linden Road
    active: frozenset[str]
    number: Mapping[str, str]  # the new one of each
    bookings: tuple[Mapping[str, str], ...]  # those that count, most urgent first
    dropped: Mapping[str, str]
    free: tuple[Slot, ...]

    def what(self, patient: str, way: str) -> str:
        """What becomes of a patient's record."""
        answer = self.consent[patient]
        if patient not in self.active:
            return "closed"
        if answer == "no" or (way == "consented_only" and answer != "yes"):
            return "stay"
        return "summary" if way == "summary_only" else "full"

    def transfer(self, way: str) -> list[list[str]]:
        rows = []
        for patient in self.consent:
            what = self.what(patient, way)
            goes = what in ("full", "summary")
            rows.append([patient, what, self.number[patient] if goes else ""])
        return rows

    def diary(self, way: str) -> list[list[str]]:
        free = list(self.free)
        rows = []
        for row in self.bookings:
            name = row["booking"]
            day, time = row["start"].split()
            if name in self.dropped:
                rows.append([name, "dropped", "", "", ""])
            elif self.what(row["patient"], way) == "stay":
                rows.append([name, "linden", day, time, ""])
            else:
                slots = _first_free(free, row, is_long=way == "summary_only")
                free = [slot for slot in free if slot not in slots]
                where = ["quay", *slots[0][:3]] if slots else ["waiting", "", "", ""]
                rows.append([name, *where])
        return sorted(rows)

    def figures(self, way: str) -> list[int]:
        """Patients full, summary, stay; bookings rebooked, at Linden Road, waiting."""
        records = Counter(row[1] for row in self.transfer(way))
        places = Counter(row[1] for row in self.diary(way))
        patients = [records[what] for what in ("full", "summary", "stay")]
        return [*patients, *(places[where] for where in ("quay", "linden", "waiting"))]


def _first_free(free: Sequence[Slot], row: Mapping[str, str], *, is_long: bool) -> list[Slot]:
    first = row["start"].split()[0]
    last = (date.fromisoformat(first) + timedelta(days=LATER_DAYS)).isoformat()
    for slot in free:
        if slot.kind != row["kind"] or not first <= slot.day <= last:
            continue
        if not is_long:
            return [slot]
        if slot.following in free:
            return [slot, slot.following]
    return []


async def integrate(tools: Tools, style: Style) -> None:
    await read(tools, "PROJECT.md")
    people = await read_csv(tools, "results/records/people.csv")
    bookings = await read_csv(tools, "results/appointments/bookings.csv")
    slots = await read_csv(tools, "results/appointments/free_slots.csv")
    linden = await read_csv(tools, "workstreams/records/linden.csv")
    quay = await read_csv(tools, "workstreams/appointments/quay_bookings.csv")
    quay = [row for row in quay if _is_booked(row)]
    rows: list[list[str]] = []
    number = _numbers(people, bookings, quay, rows)
    active = _active(people, bookings, linden, rows)
    dropped: dict[str, str] = {}
    states = {row["linden_id"]: row["state"] for row in people}
    for row in bookings:
        patient = row["patient"]
        reason = "" if patient in active else states[patient]
        reason = reason or ("double" if _is_double(row, number[patient], quay) else "")
        if reason:
            dropped[row["booking"]] = reason
            rows.append(["dropped", row["booking"], states[patient], row["start"], reason])
    columns = ["subject", "ref", "records", "appointments", "used"]
    await tools.write("results/reconciled.csv", _table(columns, rows))
    await tools.say(f"{len(dropped)} bookings are dropped, of people gone or seen twice.")
    plan = Plan(
        consent={row["linden_id"]: row["consent"] for row in people},
        active=frozenset(active),
        number=number,
        bookings=tuple(
            sorted(bookings, key=lambda row: (row["urgent"] == "no", row["start"], row["booking"]))
        ),
        dropped=dropped,
        free=tuple(
            Slot(row["date"], row["time"], row["clinician"], row["kind"], int(row["minutes"]))
            for row in slots
        ),
    )
    await _deliver(tools, style, plan)


def _numbers(
    people: Sequence[Mapping[str, str]],
    bookings: Sequence[Mapping[str, str]],
    quay: Sequence[Mapping[str, str]],
    rows: list[list[str]],
) -> dict[str, str]:
    """The new number of each patient; doubtful matches are settled by telephone, into ``rows``."""
    phones: dict[str, set[str]] = defaultdict(set)
    for row in [*bookings, *quay]:
        phones[row["patient"]].add(_digits(row["phone"]))
    number = {}
    for person in people:
        old, known = person["linden_id"], person["quay_id"]
        is_same = person["match"] == "sure"
        if person["match"] == "doubtful":
            is_same = bool(phones[old] & phones[known])
            used = "same" if is_same else "two"
            told = "one telephone" if is_same else "no telephone in common"
            rows.append(["pair", f"{old} {known}", "doubtful", told, used])
        number[old] = known if is_same else f"N{old[1:]}"
    return number


def _active(
    people: Sequence[Mapping[str, str]],
    bookings: Sequence[Mapping[str, str]],
    linden: Sequence[Mapping[str, str]],
    rows: list[list[str]],
) -> set[str]:
    """Who is to be looked after; who left and has booked since joins ``rows``."""
    active = {row["linden_id"] for row in people if row["state"] == "active"}
    for row in linden:
        if not row["state"].startswith("moved away"):
            continue
        day = row["state"].split()[-1]
        since = [item["made_on"] for item in bookings if item["patient"] == row["id"]]
        if max(since, default="") > day:
            active.add(row["id"])
            rows.append(["left", row["id"], row["state"], f"booked on {max(since)}", "active"])
    return active


def _is_double(row: Mapping[str, str], patient: str, quay: Sequence[Mapping[str, str]]) -> bool:
    day = date.fromisoformat(row["start"].split()[0])
    return any(
        other["patient"] == patient
        and other["kind"] == row["kind"]
        and abs((date.fromisoformat(other["date"]) - day).days) <= DOUBLE_DAYS
        for other in quay
    )


async def _deliver(tools: Tools, style: Style, plan: Plan) -> None:
    ways = list(DECISIONS["whose_records_go"].options)
    columns = ["transfer", "full", "summary", "stay", "rebooked", "at_linden", "waiting"]
    await tools.write(
        "results/options.csv", _table(columns, [[way, *plan.figures(way)] for way in ways])
    )
    unasked = sum(plan.consent[patient] == "none" for patient in plan.active)
    await tools.say(f"{unasked} patients gave no answer; whether their records go is open.")
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        rows = plan.transfer(choice.option)
        await tools.write("results/transfer.csv", _table(["linden_id", "what", "new_id"], rows))
        columns = ["booking", "where", "date", "time", "clinician"]
        await tools.write("results/diary.csv", _table(columns, plan.diary(choice.option)))
        await tools.write("results/staff_note.md", _note(plan, choice.option))
        record = _record(plan, choice, leaves_open=leaves_open)
        return await tools.write("results/merger.json", as_record(record))

    choice = await settle(DECISIONS["whose_records_go"], deliver)
    await tools.say(f"The plan of the merger is complete: {choice.option.replace('_', ' ')}.")


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _note(plan: Plan, way: str) -> str:
    full, summary, stay, rebooked, at_linden, waiting = plan.figures(way)
    return (
        "# Linden Road comes to Quay Street\n\n"
        f"- {full} full records and {summary} summaries go over.\n"
        f"- {stay} patients stay at Linden Road, with {at_linden} bookings there.\n"
        f"- {rebooked} bookings are rebooked.\n"
        f"- {waiting} bookings are waiting for a slot.\n"
        f"- {len(plan.dropped)} bookings were dropped.\n"
    )


def _record(plan: Plan, choice: Choice, *, leaves_open: bool) -> Mapping[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    _, _, _, rebooked, _, waiting = plan.figures(choice.option)
    answers = Counter(plan.consent[patient] for patient in plan.active)
    question = QUESTION.format(yes=answers["yes"], no=answers["no"])
    assumption = "No order of the board is known, so records go with a signed form only."
    status = "completed_with_assumption" if is_open else "completed"
    stays = [row[0] for row in plan.transfer(choice.option) if row[1] == "stay"]
    return {
        "status": "completed_with_owner_guidance" if choice.by_user else status,
        "workers": {
            "records": "matched the patients",
            "appointments": "took down bookings and free slots",
        },
        "integration": {
            "active_patients": len(plan.active),
            "same_persons": sum(number.startswith("Q") for number in plan.number.values()),
            "bookings_dropped": len(plan.dropped),
            "rebooked": rebooked,
            "waiting": waiting,
        },
        "decision": {
            "choice": choice.option,
            "options_considered": list(DECISIONS["whose_records_go"].options),
            "question_for_requester": question if is_open else "",
            "assumption": assumption if is_open else "",
            "reversible_until": "records that stay can follow until the end of October",
        },
        "stays": stays,
        "records_sent": False,
    }
