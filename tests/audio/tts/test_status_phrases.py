"""What a status report sounds like: the first phrase, and all that is said, phrase by phrase."""

# ruff: noqa: E501  (a said sentence in one line is easier to read aloud)

from __future__ import annotations

import pytest

from audio.tts.phrasing import Phraser
from audio.tts.spoken_text import speak

REPORTS = [
    (
        "The agent is on step 3 of 7, writing the parser tests.",
        "The agent is on step 3 of 7, ",
        "The agent is on step three of seven, / writing the parser tests.",
    ),
    (
        "It has been running for 2m13s, and so far 80 of 82 tests pass.",
        "It has been running for 2m13s, ",
        "It has been running for two minutes thirteen seconds, / and so far eighty of eighty two tests pass.",
    ),
    (
        "Right now it is editing `src/app.ts`, around line 42.",
        "Right now it is editing `src/app.ts`, ",
        "Right now it is editing source slash app dot TS, / around line forty two.",
    ),
    (
        "Two tests failed: test_read and test_write, both in tests/test_io.py.",
        "Two tests failed: ",
        "Two tests failed: / test read and test write, both in tests slash test io dot py.",
    ),
    (
        "I don't know yet, because the run has not said anything about that.",
        "I don't know yet, ",
        "I don't know yet, / because the run has not said anything about that.",
    ),
    (
        "It found the bug. The loop in utils/io.py never ends when the file is empty.",
        "It found the bug. ",
        "It found the bug. / The loop in utils slash io dot py never ends when the file is empty.",
    ),
    (
        "Nothing has changed since you last asked, about 45s ago.",
        "Nothing has changed since you last asked, ",
        "Nothing has changed since you last asked, / about forty five seconds ago.",
    ),
    (
        "It wants to write to out_v2/a.txt. Should I let it?",
        "It wants to write to out_v2/a.txt. ",
        "It wants to write to out V two slash A dot text. / Should I let it?",
    ),
    (
        "The run finished with exit code 0 after 1h 20m.",
        "The run finished ",
        "The run finished / with exit code zero after one hour twenty minutes.",
    ),
    (
        "It is downloading a 1.2 GB model, 82% done.",
        "It is downloading a 1.2 GB model, ",
        "It is downloading a one point two gigabyte model, / eighty two percent done.",
    ),
    (
        "Good news: the build is green and PR #42 is merged.",
        "Good news: the build is green ",
        "Good news: the build is green / and PR number forty two is merged.",
    ),
    (
        "It failed with HTTP 500 from https://api.example.com/v1/users.",
        "It failed with HTTP 500 from https://api.example.com/v1/users.",
        "It failed with HTTP five hundred from API dot example dot com slash V one slash users.",
    ),
    (
        "I held the command `rm -rf build/`, since it deletes files.",
        "I held the command `rm -rf build/`, ",
        "I held the command RM dash R F build slash, / since it deletes files.",
    ),
    (
        "The migration from Postgres 14 to 16 is about half done.",
        "The migration from Postgres 14 to 16 is about half done.",
        "The migration from Postgres fourteen to sixteen is about half done.",
    ),
    (
        "It upgraded numpy from v1.26.4 to v2.0.1 and reran the tests.",
        "It upgraded numpy from v1.26.4 to v2.0.1 ",
        "It upgraded numpy from version one point twenty six point four to version two point zero point one / and reran the tests.",
    ),
    (
        "So far it has cost $3.50 and used 1.2M tokens.",
        "So far it has cost $3.50 ",
        "So far it has cost three dollars and fifty cents / and used one point two million tokens.",
    ),
    (
        'The agent asked: "Should I, for now, keep the old API?" and is waiting.',
        "The agent asked: ",
        "The agent asked: / Should I, for now, keep the old API? and is waiting.",
    ),
    (
        "Sorry, the model did not answer in time. Here is what I know myself.",
        "Sorry, the model did not answer in time. ",
        "Sorry, the model did not answer in time. / Here is what I know myself.",
    ),
    (
        "Yes. It passed 12 minutes ago.",
        "Yes. It passed 12 minutes ago.",
        "Yes. It passed twelve minutes ago.",
    ),
    (
        "Okay, I told it to skip the slow tests.",
        "Okay, I told it to skip the slow tests.",
        "Okay, I told it to skip the slow tests.",
    ),
    (
        "The next checkpoint is due at 12:30, in about ten minutes.",
        "The next checkpoint is due at 12:30, ",
        "The next checkpoint is due at twelve thirty, / in about ten minutes.",
    ),
    (
        "It has three open questions:\n- Which database should it use?\n- Is C++17 fine?",
        "It has three open questions:\n",
        "It has three open questions: / Which database should it use? / Is C plus plus seventeen fine?",
    ),
    (
        'The last commit is a1b2c3d, "Fix the parser".',
        "The last commit is a1b2c3d, ",
        "The last commit is A one B two C three D, / Fix the parser.",
    ),
    (
        "What is unclear is whether the cache, which is 4 GB, fits into memory.",
        "What is unclear is whether the cache, ",
        "What is unclear is whether the cache, / which is four gigabytes, fits into memory.",
    ),
    (
        "The p95 latency went from 1.9s down to 850ms.",
        "The p95 latency went ",
        "The P ninety five latency went / from one point nine seconds down to eight hundred fifty milliseconds.",
    ),
    (
        "It is reading the README.md and the pyproject.toml file.",
        "It is reading the README.md ",
        "It is reading the README dot MD / and the pyproject dot toml file.",
    ),
    (
        "No errors so far, only 3 warnings.",
        "No errors so far, ",
        "No errors so far, / only three warnings.",
    ),
    (
        "It restarted the server on localhost:8080 at 09:05.",
        "It restarted the server on localhost:8080 at 09:05.",
        "It restarted the server on localhost, port eight thousand eighty at nine oh five.",
    ),
    (
        "Since 2026-11-29 there were 1,234 runs, e.g. nightly ones, without a failure.",
        "Since 2026-11-29 there were 1,234 runs, ",
        "Since November twenty ninth, twenty twenty six there were one thousand two hundred thirty four runs, / for example nightly ones, without a failure.",
    ),
    (
        "I think that the agent is stuck in a loop.",
        "I think that the agent is stuck ",
        "I think that the agent is stuck / in a loop.",
    ),
    (
        "It is done, and all the tests are green.",
        "It is done, ",
        "It is done, / and all the tests are green.",
    ),
    (
        "I would wait, since the deploy is only 50% through.",
        "I would wait, ",
        "I would wait, / since the deploy is only fifty percent through.",
    ),
    (
        "The agent edited three files: `a.py`, `b.py` and `README.md`.",
        "The agent edited three files: ",
        "The agent edited three files: / A dot py, B dot py and README dot MD.",
    ),
    (
        "Warning: the disk is 97% full.",
        "Warning: the disk is 97% full.",
        "Warning: the disk is ninety seven percent full.",
    ),
]


@pytest.mark.parametrize(("report", "first", "said"), REPORTS)
def test_a_status_report_starts_soon_and_is_said_well(report: str, first: str, said: str) -> None:
    phraser = Phraser()
    phrases = phraser.feed(report) + phraser.finish()
    assert phrases[0].text == first
    assert " / ".join(speak(phrase.text).text for phrase in phrases) == said
