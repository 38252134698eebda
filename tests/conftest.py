"""Async tests run in virtual time, unless they ask for ``real_time``; no task may survive one."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import settings

from jarvis_voice.virtual_time import VirtualTimeLoop

# Reproducible by default: "thorough" (HYPOTHESIS_PROFILE) is for searching by hand.
settings.register_profile("default", derandomize=True, deadline=None, database=None)
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


async def _run_without_leaks(test: Callable[..., Awaitable[None]], kwargs: dict[str, object]):
    await test(**kwargs)
    await asyncio.sleep(0)  # a task that was just cancelled ends in this turn of the loop
    survivors = asyncio.all_tasks() - {asyncio.current_task()}
    if survivors:
        names = ", ".join(sorted(repr(task.get_coro()) for task in survivors))
        pytest.fail(f"tasks survive the test: {names}")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    kwargs = {name: pyfuncitem.funcargs[name] for name in names}
    real = pyfuncitem.get_closest_marker("real_time") is not None
    factory = asyncio.new_event_loop if real else VirtualTimeLoop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_run_without_leaks(pyfuncitem.obj, kwargs))
    return True
