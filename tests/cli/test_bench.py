"""``jarvis bench`` as a command; what the tracks measure is tested beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import commands


def test_every_track_has_its_help(jarvis) -> None:
    assert set(commands.TRACKS) >= {"latency", "turns", "duplex"}


@pytest.mark.parametrize("track", ["latency", "duplex"])
def test_the_help_of_a_probe_tells_its_options(jarvis, capsys, track: str) -> None:
    ran = jarvis("bench", track, "--help")
    assert ran.status == 0
    told = capsys.readouterr().out
    for option in ("--over", "--baseline", "--json", "--html", "--seed", "--items", "--fail-over"):
        assert option in told


def test_without_a_track_the_tracks_are_named(jarvis) -> None:
    assert "latency, turns, duplex" in jarvis("bench").refused(2)


@pytest.mark.parametrize(
    "words",
    [
        ("latency", "--items", "0"),
        ("latency", "--over", "telephone"),
        ("latency", "--over", "room", "--clock", "virtual"),
        ("duplex", "--fail-over", "yield.share"),
        ("duplex", "--fail-under", "yield.share=much"),
        ("trumpet",),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_work(jarvis, words: tuple[str, ...]) -> None:
    jarvis("bench", *words).refused(2)


def test_a_record_that_cannot_be_written_is_told_before_any_work(jarvis, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "record.json"
    assert "Nothing was measured" in jarvis("bench", "duplex", "--json", path).refused()
