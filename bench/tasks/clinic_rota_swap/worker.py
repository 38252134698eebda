"""The scripted worker of the clinic's rota: decides swaps, then covers what is open."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "who_covers": Decision(
        options={
            "own_fewest_hours": (
                "fewest hours",
                "whoever has the fewest hours",
                "spread it evenly",
            ),
            "own_offers": (
                "those who offered",
                "offered to step in",
                "in the order of the offers",
                "volunteers",
            ),
            "bank_nurses": (
                "bank nurses",
                "bank's nurses",
                "use the bank",
                "bank covers",
            ),
        },
        default="own_fewest_hours",
    )
}
QUESTION = (
    "Should the open shifts of the week be covered by our own nurses who have the fewest hours, by "
    "those who offered to step in, or by the bank's nurses?"
)
AHEAD = timedelta(hours=2)
REST = timedelta(hours=11)
NOTICE = timedelta(hours=72)
MESSAGE = re.compile(r"(\d\d/\d\d/\d{4}, \d\d:\d\d) - ([^:]+): (R\d+)\b(.*)")
WISH = re.compile(r"please\. ([^.]+?) takes (\S+) from me and I take (\S+) from")


class Shift(NamedTuple):
    name: str
    starts: datetime
    ends: datetime
    nurse: str

    @property
    def hours(self) -> float:
        return (self.ends - self.starts).total_seconds() / 3600


class Request(NamedTuple):
    name: str
    by: str
    other: str
    gives: str
    takes: str
    agreed_at: datetime | None
    withdrawn: bool


Rota = dict[str, Shift]
Nurses = Mapping[str, Mapping[str, Any]]


async def work(tools: Tools, style: Style) -> None:
    is_careful = style is not Style.CARELESS
    staff = await read_json(tools, "sources/staff.json")
    nurses: Nurses = {nurse["id"]: nurse for nurse in [*staff["nurses"], *staff["bank"]]}
    ids = {nurse["name"]: nurse["id"] for nurse in staff["nurses"]}
    await read(tools, "sources/rules.md")
    rota = _rota(await read(tools, "sources/rota.ics"), ids)
    await tools.say(f"{len(rota)} shifts take place; the cancelled one is left out.")
    requests = _requests(await read(tools, "sources/messages.txt"), ids)
    await tools.say(f"There are {len(requests)} requests to swap in the messages.")
    decided: dict[str, str] = {}
    for request in _by_consent(requests):
        reason = _refusal(request, rota, nurses, is_careful=is_careful)
        decided[request.name] = reason
        if not reason:
            rota = _swapped(rota, request)
    accepted = sorted(name for name, reason in decided.items() if not reason)
    await tools.write("results/requests.csv", _requests_csv(decided))
    await tools.write("results/rota.csv", _rota_csv(rota))
    await tools.say(f"{len(accepted)} requests are accepted: {', '.join(accepted)}.")
    for name in (name for name, reason in sorted(decided.items()) if reason == "rest"):
        await tools.say(f"{name} is refused: there would be less than 11 hours between shifts.")
    absences = await read_csv(tools, "sources/absences.csv")
    away = _away(absences, every_one=not is_careful)
    gaps = [shift for shift in _in_order(rota) if shift.starts.date() in away[shift.nurse]]
    await tools.say(f"{len(gaps)} shifts are open because of absences, and must be covered.")
    offers = await read_csv(tools, "sources/offers.csv")
    desk = _Desk(rota, gaps, nurses, away, offers)
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        final = desk.covered(choice.option)
        await tools.write("results/cover.csv", _cover_csv(gaps, final))
        await tools.write("results/hours.csv", _hours_csv(final, nurses))
        await tools.write("results/message.md", _message(decided, gaps, final))
        certified = _is_certified(final, nurses)
        record = _record(gaps, final, choice, certified=certified, leaves_open=leaves_open)
        return await tools.write("results/final.json", as_record(record))

    choice = await settle(DECISIONS["who_covers"], deliver)
    await tools.say(f"The week is covered: {choice.option.replace('_', ' ')}.")


def _rota(text: str, ids: Mapping[str, str]) -> Rota:
    """The shifts that take place, each as its last version has it."""
    versions: dict[str, tuple[int, Shift, bool]] = {}
    for event in re.sub(r"\r?\n[ \t]", "", text).split("BEGIN:VEVENT")[1:]:
        name = _field(event, "UID").partition("@")[0]
        number = int(_field(event, "SEQUENCE"))
        nurse = ids[(re.search(r"CN=([^:;]+)", event) or ["", ""])[1].strip()]
        shift = Shift(name, _time(_field(event, "DTSTART")), _time(_field(event, "DTEND")), nurse)
        cancelled = "STATUS:CANCELLED" in event
        if name not in versions or number > versions[name][0]:
            versions[name] = (number, shift, cancelled)
    return {name: shift for name, (_, shift, cancelled) in versions.items() if not cancelled}


def _field(event: str, name: str) -> str:
    return (re.search(rf"{name}(?:;[^:]*)?:(\S+)", event) or ["", ""])[1]


def _time(text: str) -> datetime:
    when = datetime.fromisoformat(text.removesuffix("Z"))
    return when + AHEAD if text.endswith("Z") else when


def _requests(text: str, ids: Mapping[str, str]) -> list[Request]:
    requests: dict[str, Request] = {}
    for stamp, author, name, words in MESSAGE.findall(text):
        wish = WISH.search(words)
        if wish is not None:
            other = ids[wish[1].strip()]
            requests[name] = Request(name, ids[author], other, wish[2], wish[3], None, False)
            continue
        request = requests[name]
        if ids[author] == request.other and re.search(r"\b(?:yes|fine with me)\b", words):
            day, month, year, clock = re.split(r"[/, ]+", stamp)
            agreed_at = datetime.fromisoformat(f"{year}-{month}-{day}T{clock}")
            requests[name] = request._replace(agreed_at=agreed_at)
        elif "is off" in words:
            requests[name] = request._replace(withdrawn=True)
    return list(requests.values())


def _by_consent(requests: Sequence[Request]) -> list[Request]:
    """In the order in which they became complete; those that never did come last."""
    complete = [item for item in requests if item.agreed_at]
    rest = [item for item in requests if not item.agreed_at]
    return sorted(complete, key=lambda item: str(item.agreed_at)) + rest


def _refusal(request: Request, rota: Rota, nurses: Nurses, *, is_careful: bool) -> str:
    """The reason to refuse a swap; empty when it is accepted."""
    if request.withdrawn:
        return "withdrawn"
    if request.agreed_at is None:
        return "not_agreed"
    first = min(rota[request.gives].starts, rota[request.takes].starts)
    if first - request.agreed_at < NOTICE:
        return "too_late"
    if not is_careful:
        return ""
    after = _in_order(_swapped(rota, request))
    reasons = [
        _broken([shift for shift in after if shift.nurse == name], nurses[name])
        for name in (request.by, request.other)
    ]
    return next(filter(None, reasons), "")


def _swapped(rota: Rota, request: Request) -> Rota:
    given, taken = rota[request.gives], rota[request.takes]
    return {
        **rota,
        given.name: given._replace(nurse=taken.nurse),
        taken.name: taken._replace(nurse=given.nurse),
    }


def _broken(shifts: Sequence[Shift], nurse: Mapping[str, Any]) -> str:
    """What one nurse's shifts, in order, would break; empty for nothing."""
    pairs = list(pairwise(shifts))
    if any(one.starts.date() == two.starts.date() for one, two in pairs):
        return "same_day"
    if any(two.starts - one.ends < REST for one, two in pairs):
        return "rest"
    if sum(shift.hours for shift in shifts) > nurse["most_hours"]:
        return "hours"
    until = nurse["wound_certificate_until"] or ""
    wounds = [shift for shift in shifts if shift.name.endswith("wound")]
    return "certificate" if any(shift.starts.date().isoformat() > until for shift in wounds) else ""


def _is_certified(rota: Rota, nurses: Nurses) -> bool:
    """Nobody is on a wound shift without a certificate that is valid on the day."""
    return all(_broken([shift], nurses[shift.nurse]) != "certificate" for shift in rota.values())


def _in_order(rota: Mapping[str, Shift]) -> list[Shift]:
    return sorted(rota.values(), key=lambda shift: (shift.starts, shift.name))


def _away(absences: Iterable[Mapping[str, str]], *, every_one: bool) -> dict[str, set[date]]:
    away: dict[str, set[date]] = defaultdict(set)
    for row in absences:
        day, until = date.fromisoformat(row["from"]), date.fromisoformat(row["until"])
        days = {day + timedelta(days=number) for number in range((until - day).days + 1)}
        counts = every_one or row["state"] == "approved"
        away[row["nurse"]].update(days if counts else ())
    return away


class _Desk:
    """Where the open shifts are handed out."""

    def __init__(
        self,
        rota: Rota,
        gaps: Sequence[Shift],
        nurses: Nurses,
        away: Mapping[str, set[date]],
        offers: Sequence[Mapping[str, str]],
    ) -> None:
        open_names = {shift.name for shift in gaps}
        self._kept = {name: shift for name, shift in rota.items() if name not in open_names}
        self._gaps = gaps
        self._nurses = nurses
        self._away = away
        self._offers = offers

    def covered(self, way: str) -> Rota:
        """The rota in which every open shift has somebody, if anybody can."""
        now = dict(self._kept)
        for gap in self._gaps:
            fitting = [name for name in self._asked(gap, way, now) if self._can(name, gap, now)]
            own = self._asked(gap, "own_fewest_hours", now)
            fitting += [name for name in own if self._can(name, gap, now)]
            now[gap.name] = gap._replace(nurse=[*fitting, gap.nurse][0])
        return now

    def _asked(self, gap: Shift, way: str, now: Rota) -> list[str]:
        day = gap.name[:2]
        if way == "own_offers":
            return [row["nurse"] for row in self._offers if day in row["days"].split()]
        if way == "bank_nurses":
            return [name for name, nurse in self._nurses.items() if day in nurse.get("days", ())]
        own = [name for name, nurse in self._nurses.items() if "days" not in nurse]
        return sorted(own, key=lambda name: (_hours(now, name), name))

    def _can(self, name: str, gap: Shift, now: Rota) -> bool:
        if gap.starts.date() in self._away.get(name, ()):
            return False
        mine = {shift.name: shift for shift in now.values() if shift.nurse == name}
        return not _broken(_in_order({**mine, gap.name: gap}), self._nurses[name])


def _hours(rota: Rota, name: str) -> float:
    return sum(shift.hours for shift in rota.values() if shift.nurse == name)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _requests_csv(decided: Mapping[str, str]) -> str:
    rows = [
        [name, "refused" if reason else "accepted", reason]
        for name, reason in sorted(decided.items())
    ]
    return _table(["request", "decision", "reason"], rows)


def _rota_csv(rota: Rota) -> str:
    rows = [
        [
            shift.name,
            shift.starts.date().isoformat(),
            f"{shift.starts:%H:%M}",
            f"{shift.ends:%H:%M}",
            shift.nurse,
            f"{shift.hours:g}",
        ]
        for shift in _in_order(rota)
    ]
    return _table(["shift", "date", "starts", "ends", "nurse", "hours"], rows)


def _cover_csv(gaps: Sequence[Shift], final: Rota) -> str:
    rows = [[gap.name, gap.nurse, final[gap.name].nurse] for gap in gaps]
    return _table(["shift", "absent", "covered_by"], rows)


def _hours_csv(final: Rota, nurses: Nurses) -> str:
    rows = [
        [name, f"{_hours(final, name):g}"]
        for name, nurse in nurses.items()
        if "days" not in nurse or _hours(final, name)
    ]
    return _table(["nurse", "hours"], rows)


def _message(decided: Mapping[str, str], gaps: Sequence[Shift], final: Rota) -> str:
    accepted = [name for name, reason in sorted(decided.items()) if not reason]
    refused = [name for name, reason in sorted(decided.items()) if reason]
    lines = [
        "Dear all,",
        "",
        f"Accepted: {', '.join(accepted)}.",
        f"Refused: {', '.join(refused)}.",
        "",
        f"{len(gaps)} shifts were open and are covered:",
        "",
        *[f"- {gap.name}: {final[gap.name].nurse}" for gap in gaps],
    ]
    return "\n".join(lines) + "\n"


def _record(
    gaps: Sequence[Shift], final: Rota, choice: Choice, *, certified: bool, leaves_open: bool
) -> dict[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    rationale = "It spreads the work evenly, and nobody has been told, so it can still change."
    if choice.by_user:
        rationale = f'The user settled who covers them and said: "{choice.words}"'
    assumption = f"Nobody had said who covers open shifts; {choice.option} holds until it is sent."
    return {
        "situation": f"{len(gaps)} shifts of the week were open after the swaps.",
        "facts": [f"{gap.name} is covered by {final[gap.name].nurse}" for gap in gaps],
        "decision": {
            "options_considered": list(DECISIONS["who_covers"].options),
            "choice": choice.option,
            "rationale": rationale,
            "assumptions": [assumption] if is_open else [],
            "question_for_requester": QUESTION if is_open else "",
        },
        "safety": {
            "wound_shifts_certified": certified,
            "reasons_told": False,
            "message_sent": False,
        },
    }
