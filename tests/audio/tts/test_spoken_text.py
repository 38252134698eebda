"""What is said for written text: a table to read, and what holds for every input."""

# ruff: noqa: RUF001  (signs that look alike are what is tested)

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.spoken_text import speak, spoken_length

EXAMPLES = Path(__file__).with_name("spoken_examples.txt")
SPOKEN_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*[.,?!:;]?")
ESCAPE = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_=>])")
SOUP = (
    *" \n\t.,;:!?-_*`#|[](){}<>/\\@&%$€£+=~^'\"0123456789axyzABX", "…", "–", "—", "×",
    "²", "½", "①", "✅", "❌", "⚠️", "é", "ß", "日", "д", "ش", "٣", "３", "\x1b",
    "\u200d", "\u0301", "\u00ad", "°",
    "v1.2", "12:30", "2026-11-29", "a1b2c3d", "http://x.y/1?b=2", "```", "|---|", "1,234", "$3.5M",
    "10k", "5ms", "3-5", "1/2", "\x1b[31m", "foo_bar", "getX", "utils/io.py", "e.g.", "January 5",
    "x86_64", "127.0.0.1:80", "0x1F", "1e-5", "3pm", "#12", "22nd", "- [ ] ", "1. ", "> ", "# ",
    "](", "![", "<br>", "<h1>", "~~", "__init__", "**", "1h 20m", "5-10%", "+1 555 123 4567",
    "12345678", "1990s", "20GB/s", "²³", "3½",
)  # fmt: skip
soup = st.lists(st.sampled_from(SOUP), max_size=14).map("".join)
any_text = soup | st.text(max_size=60)


def examples() -> list[tuple[str, str]]:
    rows = []
    for line in EXAMPLES.read_text(encoding="utf-8").splitlines():
        written, bar, spoken = line.rpartition("  |")
        if bar:
            rows.append((written.replace("⏎", "\n").replace("␛", "\x1b"), spoken.strip()))
    return rows


@pytest.mark.parametrize(("written", "spoken"), examples())
def test_it_says_what_a_person_would_say(written: str, spoken: str) -> None:
    assert speak(written).text == spoken


def test_the_table_is_large_and_has_no_row_twice() -> None:
    written = [row[0] for row in examples()]
    assert len(written) >= 200
    assert len(set(written)) == len(written)


@given(any_text)
def test_no_symbol_soup_reaches_the_synthesizer(text: str) -> None:
    for word in speak(text).words:
        assert SPOKEN_WORD.fullmatch(word.spoken)


@given(any_text)
def test_spans_are_in_order_and_inside_the_source(text: str) -> None:
    words = speak(text).words
    assert all(0 <= word.start < word.end <= len(text) for word in words)
    for before, after in itertools.pairwise(words):
        same = (before.start, before.end) == (after.start, after.end)
        assert same or before.end <= after.start


@given(any_text)
def test_no_digit_is_lost(text: str) -> None:
    covered = bytearray(len(text))
    for word in speak(text).words:
        covered[word.start : word.end] = b"x" * (word.end - word.start)
    visible = ESCAPE.sub(lambda match: " " * len(match.group()), text)
    for digits in re.finditer(r"\d+", visible):
        assert all(covered[digits.start() : digits.end()])


# --- the way back: from number words to digits, written apart from the code that makes them


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_PROSE = "the tests passed and we don't know why it works now Jarvis reads this file well"
VALUES = {name: value for value, name in enumerate(_ONES.split())} | {
    name: ten * 10 for ten, name in enumerate(_TENS.split(), 2)
}
SCALES = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip


def count(words: list[str]) -> int:
    """The value of a cardinal."""
    total = group = 0
    for word in words:
        if word == "hundred":
            group *= 100
        elif word in SCALES:
            total, group = total + group * SCALES[word], 0
        else:
            group += VALUES[word]
    return total + group


def digits_of(spoken: str) -> str:
    """Digits that were said: one by one, or as a cardinal."""
    words = re.sub(r"[.,]", "", spoken).split()
    one_by_one = len(words) > 1 and all(VALUES.get(word, 10) < 10 for word in words)
    return "".join(str(VALUES[word]) for word in words) if one_by_one else str(count(words))


@given(
    st.integers(0, 10**15 - 1)
    | st.integers(0, 2100)
    | st.from_regex(r"0[0-9]{1,12}", fullmatch=True)
)
def test_whole_numbers_evaluate_back(value: int | str) -> None:
    assert digits_of(speak(f"got {value} now").text.removeprefix("got ").removesuffix(" now")) == (
        str(value)
    )


@given(st.integers(1000, 10**15 - 1))
def test_grouped_numbers_are_counts(value: int) -> None:
    assert count(speak(f"{value:,}").text.split()) == value


@given(st.integers(0, 10**6), st.from_regex(r"[0-9]{1,12}", fullmatch=True), st.booleans())
def test_decimals_evaluate_back(whole: int, fraction: str, negative: bool) -> None:
    spoken = speak(f"{'-' * negative}{whole}.{fraction}").text
    head, point, tail = spoken.removeprefix("minus ").partition(" point ")
    assert spoken.startswith("minus ") == negative
    assert point
    assert (digits_of(head), "".join(str(VALUES[w]) for w in tail.split())) == (
        str(whole),
        fraction,
    )


@given(
    st.lists(st.integers(0, 2100), min_size=3, max_size=5), st.sampled_from(["v", "", "Python "])
)
def test_versions_evaluate_back(parts: list[int], lead: str) -> None:
    if len(parts) == 4 and max(parts) < 1000 and not lead:
        parts = parts[:3]  # four small parts alone are an address
    spoken = speak(lead + ".".join(map(str, parts))).text
    said = re.sub("^(version|Python) ", "", spoken).split(" point ")
    assert [count(part.split()) for part in said] == parts


@given(st.integers(0, 23), st.integers(0, 59))
def test_times_evaluate_back(hour: int, minute: int) -> None:
    words = speak(f"{hour:02}:{minute:02}").text.replace("o'clock", "hundred").split()
    if minute == 0:
        assert (count(words[:-1]), words[-1]) == (hour, "hundred")
    else:
        cuts = range(1, len(words))
        assert any(_is_time(words[:cut], words[cut:], hour, minute) for cut in cuts)


def _is_time(hours: list[str], minutes: list[str], hour: int, minute: int) -> bool:
    said = [word for word in minutes if word != "oh"]
    oh = minutes[0] == "oh"
    return count(hours) == hour and count(said) == minute and oh == (minute < 10)


@given(st.integers(1900, 2099), st.integers(1, 12), st.integers(1, 28))
def test_iso_dates_name_month_day_and_year(year: int, month: int, day: int) -> None:
    names = "January February March April May June July August September October November December"
    spoken = speak(f"{year}-{month:02}-{day:02}").text
    said_day, comma, said_year = spoken.partition(", ")
    assert said_day.split()[0] == names.split()[month - 1]
    assert said_day.split()[1:] == speak(f"{day}th").text.split()
    assert comma
    assert said_year.split() == speak(f"in {year}").text.split()[1:]


# --- everything else


@given(
    st.lists(st.sampled_from(_PROSE.split()), min_size=1, max_size=20),
    st.sampled_from([".", "?", "!", "", ","]),
)
def test_plain_prose_is_left_alone(words: list[str], mark: str) -> None:
    prose = " ".join(words) + mark
    assert speak(prose).text == prose


@given(any_text)
def test_saying_what_was_said_changes_no_word(text: str) -> None:
    once = [word.spoken.rstrip(".,?!:;") for word in speak(text).words if len(word.spoken) > 3]
    if all(word.islower() for word in once):
        again = [word.spoken for word in speak(" ".join(once)).words]
        assert [w for w in again if len(w) > 3] == [w for w in once if len(w) > 3]


@pytest.mark.parametrize(
    "piece",
    ["The tests in `utils/io.py` passed, 82 of 90. ", "a.", "1-", "[", "[a", "(", "`a ", "**", "|",
     "|a\n", "a/b/", "1,2,", "http://a.b/", "__a", "a'", "<b", "<!--", "é", "日", "$1", "1 s ",
     "```\n", "\x1b[", "½", "✅", "1", "aA", "a1", "![](", "e.g. ", "\n", '"', "12-12-", "1e"],
)  # fmt: skip
def test_long_texts_of_one_sign_over_and_over_are_read_to_their_end(piece: str) -> None:
    """How fast is for ``python -m bench.speak_speed`` to tell."""
    text = (piece * (8_000 // len(piece) + 1))[:8_000]
    words = speak(text).words
    assert all(0 <= word.start <= word.end <= len(text) for word in words)
    assert all(SPOKEN_WORD.fullmatch(word.spoken) for word in words)
    if any(character.isalnum() for character in piece):
        assert words[-1].end > len(text) - 200


def test_the_offset_of_the_phrase_is_passed_on_and_spans_stay_relative() -> None:
    phrase = speak("It is 82.", offset=40)
    assert phrase.offset == 40
    assert phrase.source == "It is 82."
    assert [(w.spoken, w.start, w.end) for w in phrase.words] == [
        ("It", 0, 2), ("is", 3, 5), ("eighty", 6, 8), ("two.", 6, 8),
    ]  # fmt: skip


def test_a_link_is_heard_with_its_label_and_a_cell_with_its_column() -> None:
    link = speak("see [the docs](https://x.com/1) now")
    assert [link.source[w.start : w.end] for w in link.words] == [
        "see", "[the", "docs](https://x.com/1)", "now",
    ]  # fmt: skip
    cell = speak("| Test |\n|---|\n| login |\n| logout now |").words
    assert [(w.spoken, w.start) for w in cell[2:]] == [("Test:", 27), ("logout", 27), ("now.", 27)]


@pytest.mark.parametrize(
    ("text", "length"), [("", 0), ("***", 0), ("$3.5M", 5), ("It is done.", 3)]
)
def test_spoken_length_counts_words(text: str, length: int) -> None:
    assert spoken_length(text) == length
