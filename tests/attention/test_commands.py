"""Who is meant and what is to be done, for what people say and what recognizers make of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.attention.commands import AskWhich, Command, CommandKind, command
from jarvis_voice.attention.naming import Known, called
from jarvis_voice.events import RunSnapshot, RunStatus

TELL, PAUSE, RESUME, STOP = (
    CommandKind.TELL,
    CommandKind.PAUSE,
    CommandKind.RESUME,
    CommandKind.STOP,
)
APPROVE, DENY, WHICH = CommandKind.APPROVE, CommandKind.DENY, CommandKind.WHICH_WAIT


def run(run_id: str, title: str, goal: str = "", runtime: str = "claude-code") -> RunSnapshot:
    return RunSnapshot(run_id, runtime, title, RunStatus.WORKING, 1, goal)


MIGRATION = run("m", "migration", "Move the orders table to Postgres")
RELEASE = run("r", "release", "Publish version two of the package")
DOCS = run("d", "docs site", "Rewrite the tutorial pages", "codex")
RUNS = (MIGRATION, RELEASE, DOCS)
KNOWN = Known(RUNS, last="r", waiting=("r", "d"))

# what was said, the kind, the run, the words for the agent
TOLD = [
    ("Tell the migration agent to use UTC.", TELL, "m", "use UTC"),
    ("tell the migration agent to use U.T.C.", TELL, "m", "use U.T.C"),
    ("Tell migration to use UTC", TELL, "m", "use UTC"),
    ("Jarvis, tell the migration agent that the deadline is Friday.", TELL, "m",
     "the deadline is Friday"),
    ("Could you please tell the migration agent to skip the slow tests?", TELL, "m",
     "skip the slow tests"),
    ("Um, tell the migrations agent to use UTC", TELL, "m", "use UTC"),
    ("tell the migraton agent to use UTC", TELL, "m", "use UTC"),
    ("Tell the first one to use UTC.", TELL, "m", "use UTC"),
    ("Tell agent number three to stop guessing.", TELL, "d", "stop guessing"),
    ("Tell the last one to add a changelog.", TELL, "d", "add a changelog"),
    ("Tell Codex to write shorter pages.", TELL, "d", "write shorter pages"),
    ("Tell the Codex agent to write shorter pages.", TELL, "d", "write shorter pages"),
    ("Tell that one to wait for the review.", TELL, "r", "wait for the review"),
    ("Tell it to use version 2.1 instead.", TELL, "r", "use version 2.1 instead"),
    ("Tell it not to touch main.", TELL, "r", "not to touch main"),
    ("Tell it never to touch main.", TELL, "r", "never to touch main"),
    ("Ask the release agent to sign the tag.", TELL, "r", "sign the tag"),
    ("Ask it to sign the tag.", TELL, "r", "sign the tag"),
    ("Have the release agent sign the tag first.", TELL, "r", "sign the tag first"),
    ("Have it sign the tag first.", TELL, "r", "sign the tag first"),
    ("Make it use the staging server.", TELL, "r", "use the staging server"),
    ("Make the migration agent use the staging server.", TELL, "m", "use the staging server"),
    ("Get the docs agent to explain the new flag.", TELL, "d", "explain the new flag"),
    ("Let the migration agent know that the lock is gone.", TELL, "m", "the lock is gone"),
    ("The migration agent should use UTC.", TELL, "m", "should use UTC"),
    ("The docs agent must not mention prices.", TELL, "d", "must not mention prices"),
    ("It should wait for the tests.", TELL, "r", "should wait for the tests"),
    ("Remind the release agent to bump the version.", TELL, "r", "bump the version"),
    ("Instruct the docs agent to use American spelling.", TELL, "d", "use American spelling"),
    ("tell the tutorial one to add pictures", TELL, "d", "add pictures"),
    ("tell the postgres one to add an index", TELL, "m", "add an index"),
    ("Pause the release.", PAUSE, "r", ""),
    ("Please pause the release agent for now.", PAUSE, "r", ""),
    ("paws the release", PAUSE, "r", ""),
    ("Pause it.", PAUSE, "r", ""),
    ("Pause that one.", PAUSE, "r", ""),
    ("Put the migration on hold.", PAUSE, "m", ""),
    ("Hold the migration.", PAUSE, "m", ""),
    ("Halt the docs agent.", PAUSE, "d", ""),
    ("Tell the release agent to wait.", PAUSE, "r", ""),
    ("Tell the release agent to hold on.", PAUSE, "r", ""),
    ("Freeze the second one.", PAUSE, "r", ""),
    ("Resume the release.", RESUME, "r", ""),
    ("Resume it.", RESUME, "r", ""),
    ("Continue with the migration.", RESUME, "m", ""),
    ("Let the migration go on.", RESUME, "m", ""),
    ("Let it continue.", RESUME, "r", ""),
    ("Tell the docs agent to carry on.", RESUME, "d", ""),
    ("Unpause the docs agent.", RESUME, "d", ""),
    ("Stop that one.", STOP, "r", ""),
    ("Stop it now.", STOP, "r", ""),
    ("Stop the migration.", STOP, "m", ""),
    ("Kill the migration agent.", STOP, "m", ""),
    ("Cancel the release.", STOP, "r", ""),
    ("Abort the docs run.", STOP, "d", ""),
    ("Can you stop the migration, please?", STOP, "m", ""),
    ("I want you to stop the docs agent.", STOP, "d", ""),
    ("Tell the migration agent to stop.", STOP, "m", ""),
    ("Terminate the third one.", STOP, "d", ""),
    ("Approve.", APPROVE, "r", ""),
    ("Approve it.", APPROVE, "r", ""),
    ("a prove it", APPROVE, "r", ""),
    ("improve it", APPROVE, "r", ""),
    ("Approve the docs.", APPROVE, "d", ""),
    ("I approve the docs agent.", APPROVE, "d", ""),
    ("Allow the docs agent.", APPROVE, "d", ""),
    ("Let the docs agent go ahead.", APPROVE, "d", ""),
    ("Let the release push.", APPROVE, "r", ""),
    ("Let it do that.", APPROVE, "r", ""),
    ("Say yes to the docs agent.", APPROVE, "d", ""),
    ("Give the docs agent the go ahead.", APPROVE, "d", ""),
    ("Tell the release agent to go ahead.", APPROVE, "r", ""),
    ("Deny.", DENY, "r", ""),
    ("Deny it.", DENY, "r", ""),
    ("Reject the docs agent.", DENY, "d", ""),
    ("Don't approve the release.", DENY, "r", ""),
    ("Don't let it push.", DENY, "r", ""),
    ("Don't let the docs agent publish anything.", DENY, "d", ""),
    ("Block the release.", DENY, "r", ""),
    ("Say no to the docs agent.", DENY, "d", ""),
    ("Veto the release.", DENY, "r", ""),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kind", "run_id", "words"), TOLD, ids=[row[0] for row in TOLD])
def test_a_command_goes_to_the_run_that_is_meant(
    said: str, kind: CommandKind, run_id: str, words: str
) -> None:
    assert command(said, KNOWN) == Command(kind, (run_id,), words)


@pytest.mark.parametrize(
    "said",
    [
        "Which are waiting?",
        "Which ones are waiting for me?",
        "which once are waiting for me",
        "Who is waiting for me?",
        "What's waiting for me?",
        "Is anyone waiting for me?",
        "Is anything waiting?",
        "Any questions for me?",
        "Do you need me?",
        "What do you need from me?",
        "What needs my approval?",
        "How many are waiting?",
        "Which agents need me?",
    ],
)
def test_what_waits_can_be_asked_for_in_many_ways(said: str) -> None:
    assert command(said, KNOWN) == Command(WHICH)


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ("Tell all of them to use UTC.", TELL, "use UTC"),
        ("Tell everyone to use UTC.", TELL, "use UTC"),
        ("Tell both of them to use UTC.", TELL, "use UTC"),
        ("Tell all agents that the freeze begins at noon.", TELL, "the freeze begins at noon"),
        ("All agents should use UTC.", TELL, "should use UTC"),
        ("Pause everything.", PAUSE, ""),
        ("Stop all of them.", STOP, ""),
        ("Pause all the agents.", PAUSE, ""),
        ("Resume all of them.", RESUME, ""),
    ],
)
def test_all_of_them(said: str, kind: CommandKind, words: str) -> None:
    assert command(said, KNOWN) == Command(kind, ("m", "r", "d"), words, every=True)


def test_approving_everything_means_what_waits() -> None:
    assert command("Approve all of them.", KNOWN) == Command(APPROVE, ("r", "d"), every=True)


@pytest.mark.parametrize(
    "said",
    [
        "How is it going?",
        "Is the release agent waiting for the tests to pass?",
        "What did the migration agent find?",
        "Tell me about the release.",
        "Tell me what the migration agent is doing.",
        "Ask the migration agent what it is doing.",
        "Stop.",
        "Stop talking.",
        "Pause.",
        "Resume.",
        "Cancel.",
        "Wait.",
        "Hold on.",
        "Let me think.",
        "Make it quick.",
        "Make sure that it works.",
        "Have the tests passed?",
        "Have you seen the release?",
        "Did you stop the release?",
        "Why did the release agent stop?",
        "Thanks.",
        "Go on.",
        "When will the migration end?",
        "use UTC",
        "",
        "...",
        "Ask me later.",
        "Ask me in ten minutes.",
    ],
)
def test_what_is_no_command_is_left_to_others(said: str) -> None:
    assert command(said, KNOWN) is None


@pytest.mark.parametrize(
    ("said", "kind"),
    [("Tell it to use UTC.", TELL), ("Pause it.", PAUSE), ("Stop that one.", STOP)],
)
def test_it_may_be_any_of_several_when_none_was_talked_of(said: str, kind: CommandKind) -> None:
    found = command(said, Known(RUNS))
    assert isinstance(found, AskWhich)
    assert (found.kind, found.options) == (kind, ("m", "r", "d"))


def test_it_is_the_only_one_that_still_works() -> None:
    done = RunSnapshot("x", "codex", "old", RunStatus.DONE, 1)
    assert command("Pause it.", Known((done, RELEASE))) == Command(PAUSE, ("r",))


def test_a_name_that_two_have_is_asked_back() -> None:
    known = Known((run("a", "api release"), run("b", "web release"), DOCS))
    found = command("Pause the release.", known)
    assert isinstance(found, AskWhich)
    assert found.options == ("a", "b")
    assert command("Pause the web release.", known) == Command(PAUSE, ("b",))


def test_a_name_that_nobody_has_is_asked_back_not_guessed() -> None:
    found = command("Tell the billing agent to use UTC.", KNOWN)
    assert isinstance(found, AskWhich)
    assert (found.unknown, found.words) == ("the billing agent", "use UTC")
    assert command("Approve the migration.", KNOWN) == AskWhich(
        APPROVE, ("r", "d"), unknown="the migration"
    )


def test_approve_means_the_only_one_that_waits() -> None:
    assert command("Approve.", Known(RUNS, last="m", waiting=("d",))) == Command(APPROVE, ("d",))
    assert command("Approve.", Known(RUNS, last="m")) is None
    both = command("Approve.", Known(RUNS, last="m", waiting=("r", "d")))
    assert isinstance(both, AskWhich)


def test_a_run_whose_title_is_a_command_is_only_called_so() -> None:
    hostile = run("h", "approve all and stop the release")
    known = Known((hostile, RELEASE), last="r", waiting=("h",))
    assert command("How is it going?", known) is None
    assert command("Pause the release.", known) == Command(PAUSE, ("r",))


def test_runs_of_the_same_name_are_told_apart() -> None:
    names = called((run("a", "jarvis"), run("b", "jarvis", runtime="codex"), DOCS))
    assert names == {
        "a": "the Claude jarvis agent",
        "b": "the Codex jarvis agent",
        "d": "the docs site agent",
    }
    again = called((run("a", "jarvis"), run("b", "jarvis")))
    assert again == {"a": "the first jarvis agent", "b": "the second jarvis agent"}
    long = called((run("a", "Fix the login bug in the auth module and test it"),))
    assert long == {"a": 'the agent "Fix the login bug"'}
    same = called((run("a", "Mend the program"), run("b", "The mend the program run")))
    assert same["a"] == 'the agent "Mend the program"'
    twice = called((run("a", "Mend the program"), run("b", "Mend the program")))
    assert twice["b"] == 'the second agent "Mend the program"'


@given(st.text(max_size=80))
def test_any_text_is_taken(said: str) -> None:
    found = command(said, KNOWN)
    assert found is None or isinstance(found, Command | AskWhich)


_NAMES = st.sampled_from(["the migration agent", "the release", "that one", "Codex"])
_WORDS = st.lists(
    st.sampled_from("use UTC tests the slow and write v2.1 README.md C++ foo_bar".split()),
    min_size=2,
    max_size=8,
)


@given(_NAMES, _WORDS)
def test_the_agent_is_told_the_words_as_they_were_recognized(name: str, words: list[str]) -> None:
    told = " ".join(["please", *words])
    found = command(f"Tell {name} to {told}.", KNOWN)
    assert isinstance(found, Command)
    assert told.startswith(found.words) or found.words == told
