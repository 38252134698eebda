"""The public half of a task: read when it is in order, refused by name when it is not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.errors import BundleMalformed
from bench.suite.bundle import Topology, digest_of, forbidden_key, load_bundle
from bench.suite.catalog import TASKS, bundles, find, task_ids
from bench.suite.sealed import load_sealed

Copy = Callable[..., Path]
EditJson = Callable[[Path, Callable[[Any], None]], None]
MANIFEST = "task.public.json"


def test_every_task_of_ours_is_read() -> None:
    found = bundles()
    assert [bundle.task_id for bundle in found] == list(task_ids())
    assert {bundle.topology for bundle in found} == set(Topology)
    assert any(bundle.is_app for bundle in found)
    assert any(bundle.is_control for bundle in found)


def test_the_public_half_tells_where_the_record_goes() -> None:
    for bundle in bundles(("seed_vault_round", "project_footbridge")):
        assert bundle.record_path == load_sealed(bundle).final_record_path


def test_a_task_that_is_not_there_is_named() -> None:
    with pytest.raises(BundleMalformed, match="no_such_task"):
        find("no_such_task")


def _set(key: str, value: object) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        *above, last = key.split(".")
        for part in above:
            data = data[part]
        data[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_set("task_id", "another_name"), "another_name"),
        (_set("surprise", 1), "surprise"),
        (_set("source.grading", {}), "grading"),
        (_set("episode.result_paths", ["results/../x"]), "not below results"),
        (_set("episode.result_paths", ["results/a.md", "results/a.md"]), "stands twice"),
        (_set("episode.brief", "short"), "episode.brief"),
        (_set("runtime.family", "something_else"), "runtime.family"),
        (_set("runtime.modalities", ["smell"]), "runtime.modalities"),
        (_set("baseline.user_availability", "always"), "user_availability"),
        (_set("assets.public", ["public/../sealed/task.json"]), "not below public"),
        (lambda data: data["assets"]["public"].pop(), "is public and not declared"),
        (lambda data: data["assets"]["public"].append("public/no.csv"), "declared and missing"),
        (lambda data: data.pop("summary"), "summary"),
    ],
)
def test_a_manifest_at_fault_is_refused(
    bundle_copy: Copy, edit_json: EditJson, change: Callable[[Any], None], says: str
) -> None:
    root = bundle_copy()
    edit_json(root / MANIFEST, change)
    with pytest.raises(BundleMalformed, match=says):
        load_bundle(root)


def test_forbidden_keys_are_found_at_any_depth() -> None:
    assert forbidden_key({"a": [{"b": {"profile_visibility": 1}}]}) == "profile_visibility"
    assert forbidden_key({"a": ["attention", {"graded": 1}]}) == ""


def test_a_symbolic_link_is_refused(bundle_copy: Copy) -> None:
    root = bundle_copy()
    source = root / "public" / "sources" / "register.csv"
    kept = root / "register.csv"
    source.rename(kept)
    os.symlink(kept, source)
    with pytest.raises(BundleMalformed, match="symbolic link"):
        load_bundle(root)


def test_a_key_that_stands_twice_is_refused(bundle_copy: Copy) -> None:
    root = bundle_copy()
    text = (root / MANIFEST).read_text(encoding="utf-8")
    (root / MANIFEST).write_text('{"title": "x",' + text.lstrip("{"), encoding="utf-8")
    with pytest.raises(BundleMalformed, match="twice"):
        load_bundle(root)


@pytest.mark.parametrize("name", ["result_schema.json", "output_contract.json"])
def test_companions_must_be_there(bundle_copy: Copy, edit_json: EditJson, name: str) -> None:
    root = bundle_copy()
    (root / "public" / name).unlink()
    edit_json(root / MANIFEST, lambda data: data["assets"]["public"].remove(f"public/{name}"))
    with pytest.raises(BundleMalformed, match=name):
        load_bundle(root)


def test_the_number_of_workers_must_fit(bundle_copy: Copy, edit_json: EditJson) -> None:
    root = bundle_copy("project_footbridge")
    assert len(load_bundle(root).workstreams) == 2
    edit_json(root / MANIFEST, _set("episode.worker_count", 3))
    with pytest.raises(BundleMalformed, match="worker_count"):
        load_bundle(root)


def test_a_digest_changes_with_content_and_name_and_with_nothing_else(bundle_copy: Copy) -> None:
    root = bundle_copy()
    before = digest_of(root, "public")
    (root / "public" / "__pycache__").mkdir()
    (root / "public" / "__pycache__" / "x.pyc").write_bytes(b"x")
    assert digest_of(root, "public") == before
    assert digest_of(TASKS / "seed_vault_round", "public") == before
    path = root / "public" / "sources" / "handbook.md"
    path.write_text(path.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert digest_of(root, "public") != before
