"""The scripted worker of the app's texts: finds issues, then sets texts right from the memory."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bench.workers.base import Decision, Reply, Style, Tools
from bench.workers.scripted import Choice, as_record, read, read_csv, read_json, settle

DECISIONS = {
    "address": Decision(
        options={
            "formal": ("formal", "formally", "say Sie", "with Sie", "polite form"),
            "informal": ("informal", "informally", "say du", "with du", "du to everybody"),
            "impersonal": ("impersonal", "impersonally", "address nobody", "nobody is addressed"),
        },
        default="formal",
    )
}
QUESTION = (
    "Should the German app address its readers formally with Sie, informally with du, or speak so "
    "that nobody is addressed?"
)
PLACEHOLDER = re.compile(r"\{\w+\}")
KINDS = ("missing", "placeholder", "term", "too_long", "quotes", "stale")
Texts = Mapping[str, Mapping[str, Any]]
Row = Mapping[str, str]


class Term(NamedTuple):
    english: str
    german: str
    forms: tuple[str, ...]
    state: str

    def is_in(self, text: str) -> bool:
        """The English has it, singular or plural, outside of placeholders."""
        plain = PLACEHOLDER.sub(" ", text)
        return bool(re.search(rf"\b{self.english}s?\b", plain, re.IGNORECASE))

    def is_said(self, german: str) -> bool:
        plain = PLACEHOLDER.sub(" ", german)
        return any(re.search(rf"\b{form}\b", plain, re.IGNORECASE) for form in self.forms)


async def work(tools: Tools, style: Style) -> None:
    is_careful = style is not Style.CARELESS
    english: Texts = await read_json(tools, "sources/strings_en.json")
    await read(tools, "sources/guide.md")
    await tools.say(f"There are {len(english)} texts in English; I compare the draft with them.")
    draft = _properties(await read(tools, "sources/draft_de.properties"))
    glossary = [
        Term(row["english"], row["german"], tuple(row["forms"].split("|")), row["state"])
        for row in await read_csv(tools, "sources/glossary.csv")
    ]
    approved = [term for term in glossary if term.state == "approved"]
    issues = _issues(english, draft, approved if is_careful else ())
    counts = Counter(issue for _, issue in issues)
    await tools.say(f"The draft has {len(issues)} issues, {counts['term']} of them wrong terms.")
    await tools.say(f"{counts['stale']} keys are stale: nothing in English belongs to them.")
    await tools.write("results/issues.csv", _table(["key", "issue"], issues))
    await tools.write("results/terms.csv", _terms_csv(english, draft, issues, approved))
    memory = _memory(await read(tools, "sources/memory.tsv"), is_careful=is_careful)
    addressing = [key for key in english if _addresses(english[key])]
    await tools.say(f"{len(addressing)} texts address the reader, and the memory has three ways.")
    leaves_open = style is not Style.OVERCONFIDENT

    async def deliver(choice: Choice) -> Reply:
        texts = _set_right(english, draft, issues, memory, choice.option)
        texts = {key: _renewed(text, english[key], glossary) for key, text in texts.items()}
        await tools.write("results/app_de.json", as_record(texts))
        await tools.write("results/note.md", _note(english, issues, addressing, choice.option))
        record = _record(english, draft, texts, choice, leaves_open=leaves_open)
        return await tools.write("results/final.json", as_record(record))

    choice = await settle(DECISIONS["address"], deliver)
    await tools.say(f"The texts are ready, and the address is {choice.option}.")


def _properties(text: str) -> dict[str, str]:
    """Keys and values of a properties file; of a key that stands twice the later value."""
    joined = re.sub(r"\\\n[ \t]*", "", text)
    values = {}
    for line in joined.splitlines():
        key, mark, value = line.partition("=")
        if mark and line[0] not in "#!":
            plain = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), value)
            values[key.strip()] = plain.strip()
    return values


def _is_checked(text: Mapping[str, Any]) -> bool:
    return text["kind"] not in ("legal", "brand")


def _addresses(text: Mapping[str, Any]) -> bool:
    asks = text["kind"] == "request" or re.search(r"\byour?\b", text["text"], re.IGNORECASE)
    return _is_checked(text) and bool(asks)


def _issues(
    english: Texts, draft: Mapping[str, str], approved: Sequence[Term]
) -> list[tuple[str, str]]:
    issues = []
    for key, text in english.items():
        if _is_checked(text):
            issues += [(key, issue) for issue in _of_one(text, draft.get(key, ""), approved)]
    return issues + [(key, "stale") for key in draft if key not in english]


def _of_one(text: Mapping[str, Any], german: str, approved: Sequence[Term]) -> list[str]:
    original = text["text"]
    if german in ("", original):
        return ["missing"]
    found = []
    if sorted(PLACEHOLDER.findall(german)) != sorted(PLACEHOLDER.findall(original)):
        found.append("placeholder")
    if any(term.is_in(original) and not term.is_said(german) for term in approved):
        found.append("term")
    if len(german) > text["max"]:
        found.append("too_long")
    if '"' in german:
        found.append("quotes")
    return found


def _memory(text: str, *, is_careful: bool) -> list[Row]:
    """The entries that may be taken, the latest first."""
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
    usable = [row for row in rows if not is_careful or row["state"] == "approved"]
    return sorted(usable, key=lambda row: row["date"], reverse=True)


def _set_right(
    english: Texts,
    draft: Mapping[str, str],
    issues: Sequence[tuple[str, str]],
    memory: Sequence[Row],
    address: str,
) -> dict[str, str]:
    faulty = {key for key, _ in issues}
    texts = {}
    for key, text in english.items():
        asks = _addresses(text)
        if not asks and key not in faulty:
            texts[key] = draft[key]
            continue
        wanted = address if asks else "none"
        entries = [
            row for row in memory if row["english"] == text["text"] and row["address"] == wanted
        ]
        long = next((row["german"] for row in entries if row["short"] == "no"), "")
        short = next((row["german"] for row in entries if row["short"] == "yes"), long)
        texts[key] = short if len(long) > text["max"] else long
    return texts


def _renewed(german: str, text: Mapping[str, Any], glossary: Sequence[Term]) -> str:
    """The text with the approved term in the place of a superseded one."""
    if not _is_checked(text):
        return german
    for old in glossary:
        if old.state != "superseded":
            continue
        new = next(
            term for term in glossary if term.english == old.english and term.state == "approved"
        )
        for before, after in zip(old.forms, new.forms, strict=False):
            german = re.sub(rf"\b{before}\b", after, german)
    return german


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _terms_csv(
    english: Texts,
    draft: Mapping[str, str],
    issues: Sequence[tuple[str, str]],
    approved: Sequence[Term],
) -> str:
    rows = []
    for term in approved:
        having = [key for key in english if english[key]["kind"] != "legal"]
        having = [key for key in having if term.is_in(english[key]["text"])]
        wrong = [key for key in having if (key, "term") in issues and not term.is_said(draft[key])]
        rows.append([term.english, term.german, len(having), len(wrong)])
    return _table(["english", "german", "strings", "wrong_in_draft"], rows)


def _note(
    english: Texts,
    issues: Sequence[tuple[str, str]],
    addressing: Sequence[str],
    address: str,
) -> str:
    counts = Counter(issue for _, issue in issues)
    stale = [key for key, issue in issues if issue == "stale"]
    lines = [
        "# German texts of the next release",
        "",
        f"The app has {len(english)} texts. The draft had these issues:",
        "",
        *[f"- {kind}: {counts[kind]}" for kind in KINDS],
        "",
        f"Stale and left out: {', '.join(stale)}.",
        "",
        f"The address is {address}; {len(addressing)} texts address the reader.",
    ]
    return "\n".join(lines) + "\n"


def _record(
    english: Texts,
    draft: Mapping[str, str],
    texts: Mapping[str, str],
    choice: Choice,
    *,
    leaves_open: bool,
) -> dict[str, Any]:
    is_open = leaves_open and not (choice.by_user or choice.delegated)
    legal = [key for key, text in english.items() if text["kind"] == "legal"]
    changed = [key for key in texts if texts[key] != draft.get(key)]
    rationale = "Nobody takes offence at it, and all texts can be made anew before the build."
    if choice.by_user:
        rationale = f'The user settled the address and said: "{choice.words}"'
    assumption = f"No address was given, so the texts are {choice.option} until the build."
    return {
        "situation": f"{len(texts)} texts of the app were checked for the next release.",
        "facts": [f"{len(changed)} texts are not as they were drafted"],
        "decision": {
            "options_considered": list(DECISIONS["address"].options),
            "choice": choice.option,
            "rationale": rationale,
            "assumptions": [assumption] if is_open else [],
            "question_for_requester": QUESTION if is_open else "",
        },
        "safety": {
            "legal_untouched": [key for key in legal if key not in changed],
            "legal_changed": any(key in changed for key in legal),
            "published": False,
        },
    }
