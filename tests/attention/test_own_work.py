"""A run may take away what it has made itself; all else that goes for good is held as before."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.attention.candidate import Consequence, classify
from jarvis_voice.boundary import ProposedAction

MADE = ("/w/draft.py", "/w/old.db", "mcp__wiki__page#p-17", "app_credit#credits-3")


def run(command: str, removes: tuple[str, ...] | None = None) -> ProposedAction:
    return ProposedAction(
        "x", "p", "r", "a", "Bash", command, "f", 0.0, command=command, removes=removes
    )


def use(tool: str, **given: object) -> ProposedAction:
    return ProposedAction("x", "p", "r", "a", tool, tool, "f", 0.0, content=json.dumps(given))


def held(action: ProposedAction, made: tuple[str, ...] = MADE) -> bool:
    found = classify(action, made=lambda: made)
    assert found.effect in ("", "delete")
    return found.consequence is Consequence.CONSEQUENTIAL


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /w/draft.py",
        "rm -f /w/draft.py /w/old.db node_modules",
        "pytest -q; rm -rf /w/draft.py",
        "d=$(mktemp -d) && cp a.py $d && cd . ; rm -rf $d",
        'local d="$(mktemp -d /tmp/x.XXXX)"\npytest\nrm -rf "$d"',
        "export work=$(mktemp -d); rm -r ${work}",
    ],
)
def test_files_that_the_run_has_made_may_go(command: str) -> None:
    assert not held(run(command))


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /w/draft.pyc2",
        "rm -rf draft.py",  # in which folder it would run is not known
        "rm -rf /w",
        "rm -rf /w/draft.py /w/src",
        "rm -rf /w/draft.py/../src",
        "rm -rf /w/draft*",
        "ssh prod rm -rf /w/draft.py",
        "docker exec web rm -rf /w/draft.py",
        "sh -c 'rm -rf /w/draft.py'",
        "find /w -exec rm -rf /w/draft.py {} \\;",
        "rm -rf /w/draft.py; dropdb prod",
        "d=$(mktemp -d); rm -rf $d/x",
        "d=$(mktemp -d); rm -rf $d src",
        "d=$(mktemp -d); d=src; rm -rf $d",
        "d=src; rm -rf $d",
        "(d=$(mktemp -d)); rm -rf $d",
        "echo d=$(mktemp -d); rm -rf $d",
        "d=$(mktemp -d | tail -1); rm -rf $d",
        "d=$(mktemp -d)/.. ; rm -rf $d",
        "d=$(mktemp -d) true; rm -rf $d",
        "d=$(mktemp -d); read d < x; rm -rf $d",
    ],
)
def test_all_other_files_are_the_users_to_decide(command: str) -> None:
    assert held(run(command))


@pytest.mark.parametrize(
    ("command", "removes", "is_held"),
    [
        ("cp a.py results/; cd results; rm -rf a.py __pycache__", (), False),
        ("cp a.py results/; cd results; rm -rf a.py", None, True),
        ("rm -rf results/old", ("results/old/a.csv",), True),
        ("rm -rf results/old", ("/w/draft.py",), False),
        ("rm -rf results/*", (), False),
        ("rm -rf ~/notes", (), True),
        ("rm -rf ../notes", (), True),
        ("rm -rf $HOME/notes", (), True),
        ("cd / && rm -rf srv", (), True),
        ("cd && rm -rf srv", (), True),
        ("cd results && rm -rf srv", (), False),
        ("ssh prod 'rm -rf /srv'", (), True),
        ("rm -rf x; redis-cli flushall", (), True),
        ("python3 -c \"import shutil; shutil.rmtree('x')\"", (), True),
    ],
)
def test_a_command_that_was_tried_out_is_judged_by_what_went(
    command: str, removes: tuple[str, ...] | None, is_held: bool
) -> None:
    assert held(run(command, removes)) is is_held


@pytest.mark.parametrize(
    ("action", "is_held"),
    [
        (use("mcp__wiki__delete_page", id="p-17"), False),
        (use("mcp__wiki__deletePage", pageId="p-17"), False),
        (use("mcp__wiki__delete_page", page_ids=["p-17"]), False),
        (use("app_remove_credit", credit="credits-3"), False),
        (use("mcp__wiki__delete_page", id="p-18"), True),
        (use("mcp__wiki__delete_page", page_ids=["p-17", "p-18"]), True),
        (use("mcp__wiki__delete_page", page_ids=[]), True),
        (use("mcp__wiki__delete_page", id="p-17", cascade=True), True),
        (use("mcp__wiki__delete_page", id="p-17", page="p-18"), True),
        (use("mcp__wiki__delete_page"), True),
        (use("mcp__wiki__delete_space", id="p-17"), True),
        (use("mcp__files__delete_page", id="p-17"), True),
        (use("app_remove_credit", guest="credits-3"), True),
        (use("app_remove_all"), True),
        (replace(use("mcp__wiki__delete_page", id="p-17"), truncated=True), True),
        (replace(use("mcp__wiki__delete_page"), content="p-17"), True),
    ],
)
def test_a_foreign_tool_may_take_back_what_it_made_for_the_run(
    action: ProposedAction, is_held: bool
) -> None:
    assert held(action) is is_held


NAMES = st.sampled_from(
    ["/w/a.py", "/w/b", "/w/c/d.db", "src", "data.db", "~/x", "../y", "$z", "*"]
)


@given(
    st.lists(NAMES, min_size=1, max_size=4),
    st.sets(NAMES),
    st.sampled_from(["", "cd /w && ", "cd src; ", "true; ", "x=1 ", "sudo ", "(cd x); "]),
)
def test_a_deletion_of_anything_that_the_run_did_not_make_is_still_held(
    names: list[str], made: set[str], before: str
) -> None:
    action = run(f"{before}rm -rf {' '.join(names)}")
    certain = {name for name in made if name.startswith("/")}
    assert held(action, tuple(made)) == bool(set(names) - certain)


@given(st.text(), st.text(max_size=40), st.lists(st.text(max_size=8), max_size=3))
def test_no_text_is_too_odd(command: str, content: str, made: list[str]) -> None:
    classify(run(command, ()), made=lambda: made)
    classify(run(f"rm -rf {command}"), made=lambda: made)
    action = replace(use("app_remove_credit"), content=content)
    assert classify(action, made=lambda: made).effect == "delete"


def test_what_a_run_has_made_is_looked_up_only_where_something_goes() -> None:
    def never() -> tuple[str, ...]:
        raise AssertionError("looked up")

    for command in ("ls", "git push", "rm old.py", "npm publish"):
        classify(run(command), made=never)
