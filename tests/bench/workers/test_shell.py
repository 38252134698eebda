"""A command is shut in, bounded in time and output, and knows nothing of our environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.workers.shell import OUTPUT_BYTES, Isolation, Shell, best_isolation

WAYS = list(dict.fromkeys((best_isolation(), Isolation.NONE)))
shut_in = pytest.mark.skipif(
    best_isolation() is Isolation.NONE, reason="this system has no way to shut a program in"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A view of its own."""
    view = tmp_path.resolve() / "workspace"
    view.mkdir()
    return view


@pytest.mark.parametrize("way", WAYS)
async def test_output_status_and_environment(
    folder: Path, way: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "sk-123")
    shell = Shell(isolation=way)
    assert await shell.run("pwd; echo to-err >&2; env | grep -c SECRET; true", folder) == (
        True,
        "/workspace\nto-err\n0",
    )
    assert await shell.run("echo half; exit 3", folder) == (False, "half\n[exit status 3]")
    assert (await shell.run("python3 -c 'print(6 * 7)'", folder)).text == "42"


@pytest.mark.parametrize("way", WAYS)
async def test_time_and_output_are_bounded(folder: Path, way: Isolation) -> None:
    shell = Shell(isolation=way, time_limit_s=0.3)
    assert await shell.run("echo begun; sleep 30", folder) == (
        False,
        "begun\n[stopped after 0.3 seconds]",
    )
    long = await Shell(isolation=way).run("head -c 100000 /dev/zero | tr '\\0' x", folder)
    assert len(long.text) < OUTPUT_BYTES + 100
    assert long.text.endswith("[the rest of the output was left out]")


async def test_durations_do_not_make_two_runs_differ(folder: Path) -> None:
    reply = await Shell().run("echo 'Ran 3 tests in 0.017s'", folder)
    assert reply.text == "Ran 3 tests in 0.00s"


@shut_in
async def test_nothing_outside_can_be_read_written_or_reached(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.write_text("secret", encoding="utf-8")
    tests = Path(__file__)
    reply = await Shell().run(
        f"cat {outside}; echo x > {outside}; cat {tests}; echo x > /usr/x; echo inside > file; "
        "cat /proc/net/route /etc/passwd; python3 -c 'import pytest'",
        folder,
    )
    assert "secret" not in reply.text
    assert "A command is shut in" not in reply.text
    assert "Read-only file system" in reply.text
    assert "root:" not in reply.text
    assert "No module named 'pytest'" in reply.text
    assert outside.read_text(encoding="utf-8") == "secret"
    assert (folder / "file").read_text(encoding="utf-8") == "inside\n"


@shut_in
async def test_what_a_command_leaves_running_dies_with_it(folder: Path) -> None:
    await Shell().run("(sleep 1; echo late > late) & echo done", folder)
    reply = await Shell().run("sleep 1.3; ls", folder)
    assert reply == (True, "")


async def test_commands_run_in_a_thread_when_others_have_to_go_on(folder: Path) -> None:
    assert (await Shell(inline=False).run("echo there", folder)).text == "there"
