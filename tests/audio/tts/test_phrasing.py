"""Where a streaming reply is cut: examples, and what holds for any text and any chunking."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.phrasing import Phrase, Phraser, PhrasingSettings
from audio.tts.spoken_text import speak

PIECES = (
    "the tests passed", "Right,", "and", "but", "so", "because", "utils/io.py", "e.g.", "i.e.",
    "Dr. Smith", "v1.2.3", "3.11", "82", "$3.5M", "12:30", "https://example.com/a/b?c=1", "`x = 1`",
    '"The Long, Long Road"', "[a link](http://x.y)", "done.", "Done!", "Really?", "Wait...", "—",
    "\n", "\n\n", "- item\n", "1. first\n", "# Heading\n", "```py\nx = 1\ny = 2\n```\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n", "in the", "a", "The", "(see below)", "  ", "etc.", "U.S.",
    "No.", "5", "報告。", "`", '"', "|", "```", "~~~\n", "[", "]",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join) | st.text(max_size=120)


def phrases_of(text: str, settings: PhrasingSettings | None = None) -> list[Phrase]:
    """The phrases of a reply that arrives at once."""
    phraser = Phraser(settings)
    return phraser.feed(text) + phraser.finish()


def cut(text: str) -> list[str]:
    return [phrase.text for phrase in phrases_of(text)]


FIRST = [
    # a clause end after a natural opening
    ("Right, the tests passed, and the build is green.", "Right, the tests passed, "),
    ("All the tests passed, and nothing is left to do.", "All the tests passed, "),
    ("The tests passed and the build is green now.", "The tests passed "),
    ("I found the bug: the loop never ends.", "I found the bug: "),
    ("It is nearly done - only the docs are left.", "It is nearly done - "),
    ("It failed twice because the port was taken.", "It failed twice "),
    ("The agent is stuck, so I would look at it.", "The agent is stuck, "),
    ("It has read eleven files but found nothing yet.", "It has read eleven files "),
    # a short sentence is the shortest that sounds natural
    ("It is done. The next step is the release.", "It is done. "),
    ("Four files changed. Two are new.", "Four files changed. "),
    # too short to stand alone
    ("Yes. All 82 tests pass. Nothing else.", "Yes. All 82 tests pass. "),
    ("No. Really. It is still running.", "No. Really. It is still running."),
    ("Well, it works. Next.", "Well, it works. "),
    # no clause in reach: before a preposition, never behind an article
    (
        "The migration script is still running against the staging database of the shop.",
        "The migration script is still running ",
    ),
    (
        "So far it has read the configuration loader with great care.",
        "So far it has read the configuration loader ",
    ),
    # nothing to cut at
    ("Every single one of those eleven new integration tests fails.", None),
    # not inside numbers, names, paths, dates, quotes, code, links
    ("It took 1,234 ms in all. Fine.", "It took 1,234 ms in all. "),
    ("On November 29, 2026 it was released. Then it broke.",
     "On November 29, 2026 it was released. "),
    ("It is between 3 and 5 seconds. Not bad.", "It is between 3 and 5 seconds. "),
    ('The title "Long, Dark, and Cold" was kept. Good.',
     'The title "Long, Dark, and Cold" was kept. '),
    ("The line `a, b, c = x` was wrong, as I said.", "The line `a, b, c = x` was wrong, "),
    ("See the page [one, two, three](http://x.y) now. Ok.",
     "See the page [one, two, three](http://x.y) now. "),
    ("Ask Smith and Jones about that. They know.", "Ask Smith and Jones about that. "),
    ("It uses e.g. the parser module here. Fine.", "It uses e.g. the parser module here. "),
    ("It changed utils/io.py. Then it ran.", "It changed utils/io.py. "),
    ("The version is now v1.2.3. Good.", "The version is now v1.2.3. "),
    # lines that stand by themselves
    ("## What I found so far\nThe parser is broken.", "## What I found so far\n"),
    ("- fixed the parser\n- ran the tests", "- fixed the parser\n"),
    ("Done.\n\nI fixed it now. Fine.", "Done.\n\nI fixed it now. "),
    ("Here is the code:\n```py\nx = 1\n```\nIt works.", "Here is the code:\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "first"), FIRST)
def test_the_first_phrase_is_as_short_as_sounds_natural(text: str, first: str | None) -> None:
    assert cut(text)[0] == (text if first is None else first)


SENTENCES = [
    "It reads utils/io.py and e.g. config.toml today. ",
    "The version went from 1.2.3 to 1.3.0 today. ",
    "Dr. Smith and J. R. Jones wrote the paper together. ",
    "It starts at 9 a.m. and ends at 5 p.m. on weekdays. ",
    "See https://example.com/a.b/c for the details of that. ",
    "What happened to the build? ",
    "The three dots ... are not an end in this sentence. ",
    "He said (see Fig. 3) that it works fine. ",
    'It printed "Done. Exit." and went away again. ',
    "1. The first step is to read the code.\n",
    "- The list item has no full stop\n",
    "The U.S. team, Acme Inc. and others agree on this.",
]


def test_later_phrases_are_whole_sentences() -> None:
    assert cut("It is done now. " + "".join(SENTENCES))[1:] == SENTENCES


def test_very_short_sentences_join_the_next_one() -> None:
    assert cut("The work is done. Good. Now the docs. Fine. Bye.") == [
        "The work is done. ",
        "Good. Now the docs. ",
        "Fine. Bye.",
    ]


def test_a_number_and_a_dot_ends_a_sentence_in_prose_only() -> None:
    assert cut("The count is 3. Then it grew.\n3. Check the third thing now.")[:2] == [
        "The count is 3. ",
        "Then it grew.\n",
    ]


def test_code_blocks_and_tables_are_whole() -> None:
    code = (
        "```python\nprint('one. two. three.')\n\n# and more, but so\n" + "x = 1\n" * 100 + "```\n"
    )
    table = "| a | b |\n|---|---|\n" + "| one. two | three, four |\n" * 60
    text = "Here is the code:\n" + code + "And here is the table:\n" + table + "That is all now."
    assert cut(text) == [
        "Here is the code:\n", code, "And here is the table:\n", table, "That is all now.",
    ]  # fmt: skip


def test_an_unclosed_code_block_is_kept_until_the_end() -> None:
    phraser = Phraser()
    assert phraser.feed("The code is here:\n```\nx = 1. Y = 2.\n") != []
    assert phraser.feed("z = 3. And more.\n\n") == []
    assert [phrase.text for phrase in phraser.finish()] == [
        "```\nx = 1. Y = 2.\nz = 3. And more.\n\n"
    ]


def test_a_wrapped_paragraph_is_not_cut_at_its_line_ends() -> None:
    text = (
        "The agent is done. The long paragraph was wrapped by an editor at some eighty\n"
        "Columns and so it goes on here without any other sign.\n"
    )
    assert len(cut(text)) == 2


def test_a_sentence_is_released_when_the_next_sign_shows_that_it_ended() -> None:
    phraser = Phraser()
    assert phraser.feed("It changed utils/io.") == []
    assert phraser.feed("py") == []
    assert phraser.feed(". ") == []
    assert [p.text for p in phraser.feed("Th")] == ["It changed utils/io.py. "]
    assert phraser.pending == "Th"


def test_a_long_sentence_is_cut_at_its_last_clause_before_the_limit() -> None:
    long = "It is done now. " + "word " * 60 + "and then, " + "word " * 30 + "end."
    assert cut(long)[1] == "word " * 60 + "and then, "


@given(texts, st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_any_chunking_gives_the_same_phrases(text: str, sizes: list[int]) -> None:
    phraser, at, phrases = Phraser(), 0, []
    for size in itertools.cycle(sizes):
        if at >= len(text):
            break
        phrases += phraser.feed(text[at : at + size])
        at += size
    assert phrases + phraser.finish() == phrases_of(text)


@given(texts, st.lists(st.booleans(), min_size=1, max_size=8))
def test_phrases_join_to_the_text_that_was_fed(text: str, stalls: list[bool]) -> None:
    phraser, phrases = Phraser(), []
    for char, stalled in zip(text, itertools.cycle(stalls), strict=False):
        phrases += phraser.feed(char)
        assert "".join(p.text for p in phrases) + phraser.pending == text[: _end(phrases, phraser)]
        phrases += phraser.flush() if stalled else []
    phrases += phraser.finish()
    assert "".join(phrase.text for phrase in phrases) == text
    offsets = [0, *itertools.accumulate(len(phrase.text) for phrase in phrases)]
    assert [phrase.offset for phrase in phrases] == offsets[:-1]
    assert all(phrase.text for phrase in phrases)
    said = [phrase for phrase in phrases if phrase.text.strip()]
    assert [phrase.first for phrase in said] == [True, *[False] * len(said)][: len(said)]
    assert phraser.pending == ""


def _end(phrases: list[Phrase], phraser: Phraser) -> int:
    return sum(len(phrase.text) for phrase in phrases) + len(phraser.pending)


@given(
    st.lists(
        st.sampled_from([*PIECES[:21], "word", "in", "the", "and,"]), min_size=1, max_size=300
    ),
    st.integers(7, 80),
)
def test_no_phrase_is_longer_than_the_limit(pieces: list[str], limit: int) -> None:
    settings = PhrasingSettings(max_words=limit)
    longest = max(len(speak(piece).words) for piece in pieces)
    for phrase in phrases_of(" ".join(pieces), settings):
        assert (
            len(speak(phrase.text).words) <= max(limit, longest) + 3
        )  # words said for joined signs


def test_a_stalled_model_releases_whole_words() -> None:
    phraser = Phraser()
    assert phraser.feed("The agent has read the conf") == []
    (phrase,) = phraser.flush()
    assert phrase == Phrase("The agent has read ", 0, first=True, ends_sentence=False)
    assert phraser.pending == "the conf"
    rest = phraser.feed("iguration of the server. Next") + phraser.finish()
    assert [p.text for p in rest] == ["the configuration of the server. ", "Next"]
    assert not rest[0].first


@pytest.mark.parametrize(
    ("pending", "released"),
    [
        ("It is done.", "It is done."),
        ("It is done. ", "It is done. "),
        ("Right, ", "Right, "),
        ("Right,", "Right,"),
        ("Hel", ""),
        ("", ""),
        (" ", ""),
        ("The ", ""),
        ("See the code:\n```\nx = 1", ""),
        ('It says "The long', "It says "),
        ("The parser is utils/", "The parser "),
        ("The parser ", "The parser "),
    ],
)
def test_flush_keeps_what_is_not_whole(pending: str, released: str) -> None:
    phraser = Phraser()
    phraser.feed(pending)
    before = len(pending) - len(phraser.pending)
    flushed = "".join(phrase.text for phrase in phraser.flush())
    assert flushed == (released[before:] if before else released)


def test_flush_says_whether_a_sentence_ended() -> None:
    phraser = Phraser()
    phraser.feed("It is done.")
    assert [phrase.ends_sentence for phrase in phraser.flush()] == [True]


def test_after_finish_the_next_reply_begins() -> None:
    phraser = Phraser()
    first = phraser.feed("Hello there, you. ") + phraser.finish()
    second = phraser.feed("Hello there, you. ") + phraser.finish()
    assert first == second
    assert first[0].first


def test_fifty_kilobytes_without_a_blank_are_no_trouble() -> None:
    phraser = Phraser()
    for _ in range(500):
        assert phraser.feed("x" * 100) == []
    assert len(phraser.finish()) == 1


@pytest.mark.parametrize("lengths", [(80, 0, 7), (80, 5, 4), (5, 3, 7)])
def test_settings_that_contradict_each_other_are_refused(lengths: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="phrasing needs"):
        PhrasingSettings(*lengths)
