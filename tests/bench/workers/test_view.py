"""A view that lasts: what changes in it is looked at once, and kept or taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import WorkspaceFailed
from bench.workers.view import View, only
from bench.workers.workspace import RESULT_FILES, WRITE_BYTES, Workspace


@pytest.fixture
def view(tmp_path: Path) -> View:
    public = tmp_path / "public"
    (public / "sources").mkdir(parents=True)
    (public / "sources/a.txt").write_text("as it was")
    workspace = Workspace(public, tmp_path / "run")
    workspace.put("results/old.txt", b"old")
    return View(workspace.scope(), tmp_path / "view")


def kept(view: View) -> dict[str, str]:
    top = view.folder.parent / "run"
    return {f.relative_to(top).as_posix(): f.read_text() for f in sorted(top.rglob("*.txt"))}


def test_a_change_is_looked_at_once_and_then_agreed_to(view: View) -> None:
    (view.folder / "results/new.txt").write_text("new")
    (view.folder / "results/old.txt").unlink()
    (view.folder / "scratch.txt").write_text("of no interest")
    changes = view.claim()
    assert changes.kept == {"results/new.txt": b"new", "results/old.txt": None}
    assert view.claim().kept == {}
    assert kept(view) == {"results/old.txt": "old"}
    view.agree(changes)
    assert kept(view) == {"results/new.txt": "new"}
    assert view.claim().kept == {}


def test_a_refused_change_is_taken_back_but_not_what_came_after_it(view: View) -> None:
    for name in ("old", "new", "other"):
        (view.folder / f"results/{name}.txt").write_text("one")
    changes = view.claim()
    (view.folder / "results/other.txt").write_text("two")
    assert view.claim().kept == {"results/other.txt": b"two"}
    view.refuse(only(changes.kept, {"results/old.txt", "results/new.txt", "results/other.txt"}))
    assert (view.folder / "results/old.txt").read_text() == "old"
    assert not (view.folder / "results/new.txt").exists()
    assert (view.folder / "results/other.txt").read_text() == "two"


def test_a_released_change_is_claimed_again(view: View) -> None:
    (view.folder / "results/new.txt").write_text("new")
    changes = view.claim()
    view.release(changes)
    assert view.claim() == changes


def test_public_files_are_put_back_whatever_was_done_to_them(view: View, tmp_path: Path) -> None:
    assert view.restore() == ()
    source = view.folder / "sources/a.txt"
    for spoil in (
        lambda: source.write_text("spoiled"),
        source.unlink,
        lambda: (source.unlink(), source.mkdir()),
        lambda: (source.unlink(), source.symlink_to(tmp_path / "public/sources/a.txt")),
        lambda: (source.parent.rename(tmp_path / "away"), source.parent.symlink_to("../away")),
    ):
        spoil()
        assert view.restore() == ("sources/a.txt",)
        assert not source.is_symlink()
        assert source.read_text() == "as it was"
    assert (tmp_path / "public/sources/a.txt").read_text() == "as it was"


def test_links_are_no_results_and_neither_is_what_is_too_large(view: View, tmp_path: Path) -> None:
    (view.folder / "results/link.txt").symlink_to(tmp_path / "public/sources/a.txt")
    (view.folder / "results/large.txt").write_bytes(b"x" * (WRITE_BYTES + 1))
    changes = view.claim()
    assert (changes.kept, changes.dropped) == ({}, ("results/large.txt",))


def test_more_results_than_anybody_can_look_at_are_a_named_failure(view: View) -> None:
    for number in range(RESULT_FILES + 1):
        (view.folder / f"results/{number}.txt").touch()
    with pytest.raises(WorkspaceFailed, match="more than"):
        view.claim()
