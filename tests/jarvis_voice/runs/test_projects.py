from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.events import RunSnapshot, RunStatus
from jarvis_voice.runs.projects import MAX_CHILDREN, MAX_CONFLICTS, conflicts, projects


def run(name: str, parent: str | None = None, status=RunStatus.WORKING, **more) -> RunSnapshot:
    return RunSnapshot(name, "claude-code", f"The {name}", status, 1, parent_run_id=parent, **more)


def test_children_stand_under_their_parent() -> None:
    boss = run("boss", status=RunStatus.DONE, cost_usd=1.0, updated_at_s=5.0)
    runs = [
        run("a", "boss", RunStatus.DONE, cost_usd=0.5, updated_at_s=7.0),
        boss,
        run("b", "a", RunStatus.WAITING),
        run("lonely"),
        run("orphan", "gone"),
        run("orphan2", "gone"),
    ]
    first, lonely, orphans = projects(runs)
    assert (first.project_id, first.title, first.root) == ("boss", "The boss", boss)
    assert [child.run_id for child in first.children] == ["b", "a"]
    assert (first.status, first.waiting) == (RunStatus.WAITING, ("b",))
    assert (first.cost_usd, first.updated_at_s) == (1.5, 7.0)
    assert (lonely.children, lonely.cost_usd) == ((), None)
    assert (orphans.project_id, orphans.root, len(orphans.children)) == ("gone", None, 2)


def test_a_project_that_rests_is_as_its_root_is() -> None:
    done, failed = run("r", status=RunStatus.DONE), run("c", "r", RunStatus.FAILED)
    assert projects([done, failed])[0].status is RunStatus.DONE
    assert projects([failed])[0].status is RunStatus.FAILED


def test_the_longest_wait_comes_first() -> None:
    waits = [
        run("new", "p", RunStatus.WAITING, updated_at_s=9.0),
        run("old", "p", RunStatus.HELD, updated_at_s=3.0),
    ]
    assert projects(waits)[0].waiting == ("old", "new")


def test_two_that_change_one_file_are_in_each_others_way() -> None:
    a = run("a", "p", cwd="/w", files_changed=("src/io.py", "x.py"))
    b = run("b", "p", RunStatus.DONE, cwd="/w/src", files_changed=("./io.py",))
    c = run("c", "p", cwd="/elsewhere", files_changed=("src/io.py",))
    [found] = projects([a, b, c])[0].conflicts
    assert found.what == "io.py was changed by The a and The b."
    assert found.run_ids == ("a", "b")
    rest = [run(name, "p", RunStatus.DONE, files_changed=("x",)) for name in "ab"]
    assert conflicts(rest) == (), "nobody is at work there any more"


NAMES = st.sampled_from("abcdef")
RUNS = st.lists(
    st.builds(
        run,
        NAMES,
        st.none() | NAMES,
        st.sampled_from(RunStatus),
        files_changed=st.lists(NAMES, max_size=3).map(tuple),
    ),
    max_size=12,
)


@given(RUNS)
def test_every_run_stands_in_exactly_one_project_even_in_circles(runs: list[RunSnapshot]) -> None:
    found = projects(runs)
    listed = [child.run_id for project in found for child in project.children]
    listed += [project.root.run_id for project in found if project.root]
    assert sorted(listed) == sorted({item.run_id for item in runs})
    assert len({project.project_id for project in found}) == len(found)


def test_a_crowd_is_bounded_and_says_so() -> None:
    many = [run(f"c{n}", "p", files_changed=(f"f{n // 2}",)) for n in range(500)]
    [project] = projects([run("p"), *many])
    assert (len(project.children), project.omitted) == (MAX_CHILDREN, 500 - MAX_CHILDREN)
    assert len(project.conflicts) == MAX_CONFLICTS
