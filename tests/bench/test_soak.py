"""Six minutes of conversation in fast simulation: no slower and no larger at their end."""

from bench.soak import soak


def test_a_conversation_grows_neither_slower_nor_larger() -> None:
    record = soak(minutes=6.0, real=False)
    assert record["turns"] > 24
    assert record["response_s"]["ratio"] < 1.1
    assert record["memory_growth_mb"] < 10.0
