"""What counts as made by a run: reports of runtimes and servers, and nothing that was said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.made import made_in, owns, removed_by

PATCH = "Success. Updated the following files:\nA new.py\nM old.py\n"


@pytest.mark.parametrize(
    ("tool", "files", "output", "made"),
    [
        ("Write", ("/w/a.py",), "File created successfully at: /w/a.py", ("/w/a.py",)),
        ("Write", ("a.py",), "File created successfully at: /w/a.py", ("/w/a.py",)),
        (
            "write_file",
            ("a.py",),
            "Successfully created and wrote to new file: a.py.",
            ("/w/a.py",),
        ),
        ("apply_patch", ("new.py", "old.py"), PATCH, ("/w/new.py",)),
        ("Write", ("/w/a.py",), "The file /w/a.py has been updated.", ()),
        ("Write", ("/w/a.py",), "File created successfully at: /w/other.py", ()),
        ("Write", ("../a.py",), "File created successfully at: ../a.py", ()),
        ("Bash", ("/w/a.py",), "File created successfully at: /w/a.py", ()),
        ("Read", (), "File created successfully at: /w/a.py", ()),
        (
            "app_add_credit",
            (),
            "app_add_credit: added credits-3 to credits.",
            ("app_credit#credits-3",),
        ),
        (
            "mcp__wiki__create_page",
            (),
            '{"id": "p-17", "space_id": "s"}',
            ("mcp__wiki__page#p-17",),
        ),
        ("mcp__wiki__createPage", (), '{"result": {"id": 17}}', ("mcp__wiki__page#17",)),
        ("mcp__wiki__create_page", (), '{"page": "p-17"}', ()),
        ("mcp__wiki__create_pages", (), "created 3 pages", ()),
        ("mcp__wiki__get_page", (), '{"id": "p-17"}', ()),
        ("create", (), '{"id": "p-17"}', ()),
    ],
)
def test_only_what_is_reported_as_new_by_its_own_call_is_made(
    tool: str, files: tuple[str, ...], output: str, made: tuple[str, ...]
) -> None:
    assert made_in(tool, files, output, "/w") == made


def test_a_relative_path_is_nothing_without_the_folder_it_is_in() -> None:
    assert made_in("Write", ("a.py",), "File created successfully at: a.py", None) == ()


def test_what_is_removed_has_the_name_under_which_it_was_made() -> None:
    (made,) = made_in("mcp__wiki__create_page", (), '{"id": "p-17"}', None)
    assert removed_by("mcp__wiki__delete_page", '{"page_id": "p-17"}') == (made,)
    assert owns((made,), (made,))
    assert not owns((made,), ())
    assert not owns((), (made,))


@given(st.text(), st.lists(st.text()), st.text(), st.none() | st.text())
def test_no_call_is_too_odd(tool: str, files: list[str], text: str, cwd: str | None) -> None:
    made_in(tool, files, text, cwd)
    made_in("Write", files, f"File created successfully at: {text}", cwd)
    made_in("create_page", (), text, cwd)
    removed_by(tool, text)
