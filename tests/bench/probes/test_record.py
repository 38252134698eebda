"""The record, its limits, and what the probes show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.probes import duplex, duplex_report, latency, latency_report
from bench.probes.measures import Overlapped
from bench.probes.record import (
    SCHEMA,
    Record,
    broken,
    parse_limit,
    shown,
    write_json,
)
from bench.report import page
from bench.report.intervals import NOTHING, Estimate, share_of
from jarvis_voice.errors import OutputError, UsageError
from jarvis_voice.telemetry.latency import STAGES


def item(case: str, side: str, seconds: float | None, **more: object) -> latency.Item:
    made = latency.Item("prompts", case, side, "quiet", "how is it going", **more)  # type: ignore[arg-type]
    made.first_audio_s = made.first_content_s = seconds
    made.user, made.agent = ((1.0, 2.0),), ((2.5, 4.0),)
    made.stages = dict.fromkeys(STAGES, 0.1)
    made.words = 3
    return made


ITEMS = [
    *(item(str(n), "jarvis", 0.5 + 0.01 * n) for n in range(9)),
    *(item(str(n), "sequential", 1.5 + 0.03 * n) for n in range(9)),
    item("9", "jarvis", None),
    item("9", "sequential", 2.0),
]
SIDES = ["jarvis", "sequential"]


def test_latency_figures_of_both_sides_and_their_ratio() -> None:
    found = latency.metrics(ITEMS, SIDES, 1)
    assert found["first_audio.p50_ms"].value == pytest.approx(540)
    assert found["sequential.first_audio.p50_ms"].value == pytest.approx(1635)
    assert found["ratio.p50"].count == 9
    assert found["ratio.p50"].value == pytest.approx(1.62 / 0.54)
    assert found["unanswered.share"].value == 0.1
    assert found["stage.brain.mean_ms"].value == pytest.approx(100)


def test_a_reply_before_the_end_is_no_quick_reply() -> None:
    early = item("0", "jarvis", None)
    early.early = True
    found = latency.metrics([early, item("1", "jarvis", 0.4)], ["jarvis"], 1)
    assert found["early.share"].value == 0.5
    assert found["unanswered.share"].value == 0.0
    assert found["first_audio.p50_ms"].count == 1


def test_the_latency_report_names_every_figure() -> None:
    found = latency.metrics(ITEMS, SIDES, 1)
    text = latency_report.as_text(found, ITEMS, SIDES)
    assert "3.00" in text
    assert "sequential takes longer, prompts" in text
    assert "█" in text
    whole = page.page("latency", "", latency_report.sections(found, ITEMS, SIDES))
    assert whole.count("<svg") == 4
    assert "how is it going" in whole


def overlap(kind: str, *, stopped: bool, side: str = "jarvis") -> duplex.Item:
    found = Overlapped(
        spoke=True,
        stopped=stopped,
        stop_s=0.3 if stopped else None,
        resumed=False,
        carried_on=not stopped,
        gap_s=0.1,
        stale_s=0.0,
        answered_s=None,
        talk_over_s=0.3,
    )
    return duplex.Item(
        f"{kind}/0", kind, side, "stop", found=found, words=1, user=(3.0, 4.0), agent=((1.0, 9.0),)
    )


def test_duplex_figures_and_their_report() -> None:
    items = [
        overlap("interruption", stopped=True),
        overlap("interruption", stopped=False),
        overlap("backchannel", stopped=False),
        overlap("sound", stopped=True),
        duplex.Item("noise/0", "noise", "jarvis", missed="the agent was not speaking"),
    ]
    found = duplex.metrics(items, ["jarvis"], 1)
    assert found["yield.share"].value == 0.5
    assert found["yield.p50_ms"].value == pytest.approx(300)
    assert found["ignored.backchannel.share"].value == 1.0
    assert found["ignored.sound.share"].value == 0.0
    assert found["false_barge_in.share"].value == 0.5
    assert found["measured.share"].value == 0.8
    text = duplex_report.as_text(found, items, ["jarvis"])
    assert "noise/0" in text
    assert "the agent was not speaking" in text
    assert "<svg" in page.page("duplex", "", duplex_report.sections(found, items, ["jarvis"]))


METRICS = {"a.p50_ms": Estimate(5, 612.0, 580.0, 640.0), "b.share": share_of(9, 10), "c": NOTHING}


@pytest.mark.parametrize(
    ("limit", "over", "said"),
    [
        ("a.p50_ms=700", True, ""),
        ("a.p50_ms=600", True, "a.p50_ms is 612, over 600"),
        ("b.share=0.95", False, "b.share is 0.9, under 0.95"),
        ("b.share=0.8", False, ""),
        ("c=1", True, "c was not measured"),
    ],
)
def test_a_limit_holds_or_is_broken(limit: str, over: bool, said: str) -> None:
    lines = broken([parse_limit(limit, over=over)], METRICS)
    assert lines == ([said] if said else [])


def test_limits_that_make_no_sense_are_refused() -> None:
    for text in ("a.p50_ms", "a.p50_ms=fast"):
        with pytest.raises(UsageError):
            parse_limit(text, over=True)
    with pytest.raises(UsageError, match="no metric 'x'"):
        broken([parse_limit("x=1", over=True)], METRICS)


def test_the_record_can_be_read_again(tmp_path: Path) -> None:
    record = Record("latency", 7, {"items": 3})
    record.metrics, record.items = dict(METRICS), [one.record() for one in ITEMS]
    path = tmp_path / "deep" / "record.json"
    write_json(path, record)
    read = json.loads(path.read_text("utf-8"))
    assert read["schema"] == SCHEMA
    assert read["metrics"]["a.p50_ms"] == {"count": 5, "value": 612.0, "low": 580.0, "high": 640.0}
    assert len(read["items"]) == len(ITEMS)
    assert read["environment"]["cores"] >= 1
    with pytest.raises(OutputError):
        write_json(path / "below_a_file.json", record)


def test_estimates_read_well() -> None:
    assert shown(METRICS["a.p50_ms"]) == "612 (580 to 640)"
    assert shown(METRICS["b.share"], 100, 1).startswith("90.0 (")
    assert shown(NOTHING) == "-"
