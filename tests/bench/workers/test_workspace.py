"""What a session sees of a workspace, what it may write, and what a command leaves behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench.errors import WorkspaceFailed
from bench.workers.shell import Isolation, Shell
from bench.workers.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    public = tmp_path / "public"
    for name in ("PROJECT.md", "workstreams/one/a.txt", "workstreams/two/b.txt"):
        (public / name).parent.mkdir(parents=True, exist_ok=True)
        (public / name).write_text(f"{name}\n", encoding="utf-8")
    (public / "picture.bin").write_bytes(b"\xff\xfe\x00")
    return Workspace(public, tmp_path / "run")


def test_the_parent_sees_everything_and_a_child_its_own(workspace: Workspace) -> None:
    parent, child = workspace.scope(), workspace.scope("one")
    child.write("results/one/found.txt", "here")
    workspace.scope("two").write("results/two/other.txt", "there")
    assert parent.look(".").text.split() == [
        "PROJECT.md",
        "picture.bin",
        "results/",
        "workstreams/",
    ]
    assert parent.look("results").text.split() == ["one/", "two/"]
    assert child.look("workstreams").text.split() == ["one/"]
    assert child.look("results").text.split() == ["one/"]
    assert child.look("PROJECT.md").ok
    assert not child.look("workstreams/two/b.txt").ok
    assert not child.look("results/two/other.txt").ok
    assert child.look_bytes("workstreams/two/b.txt") == b""


@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "workstreams/../../x", "", "\\\\x\\y"]
)
def test_nothing_outside_is_seen(workspace: Workspace, path: str) -> None:
    scope = workspace.scope("one")
    if path:
        assert not scope.look(path).ok
    assert scope.look_bytes(path) == b""
    assert scope.unwritable(path, "x")


def test_paths_have_one_form(workspace: Workspace) -> None:
    scope = workspace.scope()
    for path in ("PROJECT.md", "./PROJECT.md", "/workspace/PROJECT.md", "PROJECT.md/"):
        assert scope.plain(path) == "PROJECT.md", path
    assert scope.plain("/workspace") == scope.plain(".") == "."


def test_only_results_are_writable(workspace: Workspace) -> None:
    child = workspace.scope("one")
    assert child.unwritable("results/one/x.md", "x") == ""
    for path in ("PROJECT.md", "results/x.md", "results/two/x.md", "results/one/../two/x"):
        assert "only results/one/ can" in child.unwritable(path, "x"), path
    assert "larger" in child.unwritable("results/one/x.md", "x" * (3 << 20))


def test_binary_and_missing_files_are_told_apart(workspace: Workspace) -> None:
    scope = workspace.scope()
    assert "no text file" in scope.look("picture.bin").text
    assert scope.look_bytes("picture.bin") == b"\xff\xfe\x00"
    assert "There is no nothing.txt" in scope.look("nothing.txt").text


def test_a_link_is_no_file(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    os.symlink(tmp_path / "secret", workspace.folder / "results" / "link")
    assert not workspace.scope().look("results/link").ok


@pytest.mark.parametrize("isolation", [None, Isolation.NONE])
async def test_a_commands_changes_are_kept_only_when_told_so(
    workspace: Workspace, isolation: Isolation | None
) -> None:
    shell = Shell() if isolation is None else Shell(isolation=isolation)
    scope = workspace.scope()
    scope.write("results/old.txt", "old")
    command = (
        "cat PROJECT.md; echo new > results/new.txt; rm results/old.txt; echo no >> PROJECT.md; "
        "ln -s /etc/hostname results/link"
    )
    ran = await scope.execute(shell, command)
    assert ran.reply == (True, "PROJECT.md")
    assert ran.changes.kept == {"results/new.txt": b"new\n", "results/old.txt": None}
    assert ran.changes.dropped == ("PROJECT.md",)
    assert ran.changes.removed == ("results/old.txt",)
    assert ran.changes.texts()["results/old.txt"] == "[deleted]"
    assert "PROJECT.md" in ran.changes.note()
    assert scope.look("results").text == "old.txt"
    scope.keep(ran.changes)
    assert scope.look("results").text == "new.txt"
    assert scope.look("PROJECT.md").text == "PROJECT.md\n"


async def test_the_same_command_on_the_same_files_does_the_same(workspace: Workspace) -> None:
    scope, shell = workspace.scope(), Shell()
    command = "date +%s%N > results/time.txt; ls -l --time-style=long-iso PROJECT.md"
    first = await scope.execute(shell, command)
    assert await scope.execute(shell, command) == first
    scope.write("results/other.txt", "other")
    again = await scope.execute(shell, command)
    assert again.reply == first.reply  # also the dates of files are always the same


async def test_a_child_cannot_reach_the_others_through_a_command(workspace: Workspace) -> None:
    scope = workspace.scope("one")
    ran = await scope.execute(
        Shell(), "cat workstreams/*/*; mkdir results/two; echo x > results/two/y"
    )
    assert ran.reply.text == "workstreams/one/a.txt"
    assert ran.changes.kept == {}
    assert ran.changes.dropped == ("results/two/y",)


def test_files_that_a_command_names_are_known(workspace: Workspace) -> None:
    scope = workspace.scope()
    named = scope.named_in(
        "python3 tool.py workstreams/one/a.txt /workspace/workstreams/two ../x/y"
    )
    assert named == ("workstreams/one/a.txt", "workstreams/two")


def test_a_folder_that_cannot_be_used_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(WorkspaceFailed):
        Workspace(tmp_path, tmp_path / "file" / "run")
