"""The loop whose clock jumps."""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import os
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.engine import CancelToken
from audio.errors import Cancelled
from jarvis_voice.clock import session_now, stopwatch
from jarvis_voice.virtual_time import NothingLeftToHappen, VirtualTimeLoop, run_virtual, take_time


def test_an_hour_passes_in_a_moment():
    async def main() -> float:
        await asyncio.sleep(3600)
        return session_now()

    started_s = stopwatch()
    assert run_virtual(main()) == pytest.approx(3600)
    assert stopwatch() - started_s < 2.0


async def test_timers_of_the_same_moment_keep_their_order():
    order: list[int] = []
    loop = asyncio.get_running_loop()
    now_s = loop.time()
    for number in range(200):
        loop.call_at(now_s + 1.0, order.append, number)
    await asyncio.sleep(1.5)
    assert order == list(range(200))
    assert loop.time() == pytest.approx(1.5)


@given(st.lists(st.sampled_from([0.0, 0.001, 0.032, 0.1, 3600.0, 86_400.0, 1e8]), max_size=40))
def test_timers_run_by_moment_then_by_age(delays):
    ran: list[tuple[float, int]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        base_s = loop.time()
        for number, delay in enumerate(delays):
            loop.call_at(base_s + delay, ran.append, (delay, number))
        await asyncio.sleep(2e8)

    run_virtual(main())
    assert ran == sorted((delay, number) for number, delay in enumerate(delays))


async def test_sleepers_of_equal_length_wake_in_order():
    woken: list[int] = []

    async def sleeper(number: int) -> None:
        for _ in range(3):
            await asyncio.sleep(0.1)
            woken.append(number)

    async with asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(sleeper(number))
    assert woken == list(range(8)) * 3


async def test_timeout_and_task_group():
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(5.0):
            await asyncio.sleep(10.0)
    assert session_now() == pytest.approx(5.0)

    async def fails() -> None:
        await asyncio.sleep(1.0)
        raise ValueError("one of them")

    async def both() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fails())
            group.create_task(asyncio.sleep(100.0))

    with pytest.raises(ExceptionGroup) as caught:
        await both()
    assert caught.group_contains(ValueError)
    assert session_now() == pytest.approx(6.0)


async def test_the_clock_stands_still_while_an_executor_works():
    loop = asyncio.get_running_loop()
    ticks: list[float] = []
    gate = threading.Event()

    async def tick() -> None:
        while True:
            ticks.append(loop.time())
            await asyncio.sleep(0.1)

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        async with asyncio.TaskGroup() as group:
            ticker = group.create_task(tick())
            await asyncio.sleep(0.25)
            before_s = loop.time()
            threading.Timer(0.05, gate.set).start()
            await loop.run_in_executor(pool, gate.wait)
            assert loop.time() == before_s
            assert await asyncio.to_thread(lambda: 7) == 7
            assert loop.time() == before_s
            await asyncio.sleep(0.2)
            ticker.cancel()
    assert ticks == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])


async def test_cancelled_work_still_holds_the_clock():
    loop = asyncio.get_running_loop()
    gate = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = loop.run_in_executor(pool, gate.wait)
        await asyncio.sleep(0)
        work.cancel()
        threading.Timer(0.05, gate.set).start()
        await asyncio.sleep(3600)
        assert gate.is_set()


async def test_work_that_fails_lets_the_clock_go():
    with pytest.raises(ZeroDivisionError):
        await asyncio.to_thread(lambda: 1 // 0)
    pool = concurrent.futures.ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError):
        await asyncio.get_running_loop().run_in_executor(pool, os.getpid)
    await asyncio.sleep(60)
    assert session_now() == pytest.approx(60)


async def test_hold_keeps_the_clock_for_a_thread_of_ones_own():
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    done = loop.create_future()
    threading.Timer(0.05, loop.call_soon_threadsafe, (done.set_result, 1)).start()
    with loop.hold():
        async with asyncio.timeout(1.0):
            await done
    assert loop.time() == 0.0


def test_waiting_for_nothing_is_an_error():
    async def main() -> None:
        await asyncio.get_running_loop().create_future()

    loop = VirtualTimeLoop(patience_s=0.01)
    with pytest.raises(NothingLeftToHappen), asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())


async def test_sockets_get_real_time():
    left, right = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=left)
    threading.Timer(0.05, right.send, (b"x",)).start()
    async with asyncio.timeout(30.0):  # a jump would end it at once
        assert await reader.readexactly(1) == b"x"
    assert session_now() < 20.0
    started_s = session_now()
    await asyncio.sleep(0.02)
    assert session_now() - started_s >= 0.02
    writer.close()
    right.close()
    await writer.wait_closed()
    started_s = stopwatch()
    await asyncio.sleep(3600)  # closed again: the clock jumps
    assert stopwatch() - started_s < 2.0


def test_two_runs_are_the_same():
    def run() -> list[tuple[float, int]]:
        seen: list[tuple[float, int]] = []

        async def worker(number: int) -> None:
            for step in itertools.count(1):
                if step > 20:
                    return
                await asyncio.sleep(0.01 * (number % 3 + 1))
                seen.append((session_now(), number))

        async def main() -> None:
            async with asyncio.TaskGroup() as group:
                for number in range(6):
                    group.create_task(worker(number))

        run_virtual(main())
        return seen

    assert run() == run()


@pytest.mark.real_time
async def test_the_marker_gives_a_real_loop():
    assert not isinstance(asyncio.get_running_loop(), VirtualTimeLoop)


def test_a_task_that_survives_a_test_fails_it(pytester_tree):
    result = pytester_tree(
        "import asyncio\n"
        "kept = set()\n"
        "async def test_leaks():\n"
        "    kept.add(asyncio.get_running_loop().create_task(asyncio.sleep(100)))\n"
        "async def test_clean():\n"
        "    await asyncio.sleep(100)\n"
    )
    assert "1 failed, 1 passed" in result
    assert "tasks survive the test" in result


@pytest.fixture
def pytester_tree(tmp_path):
    """Runs a test file under the project's own conftest, in a process of its own."""
    import subprocess
    import sys
    from pathlib import Path

    def run(source: str) -> str:
        conftest = Path(__file__).parents[1] / "conftest.py"
        (tmp_path / "conftest.py").write_text(conftest.read_text())
        (tmp_path / "test_inner.py").write_text(source)
        (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    real_time: x\n")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
        return done.stdout

    return run


async def test_work_in_a_thread_may_say_how_long_it_takes():
    loop = asyncio.get_running_loop()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        job = loop.run_in_executor(pool, take_time, 3.0, CancelToken())
        await asyncio.sleep(1.0)
        assert not job.done()
        await job
        assert loop.time() == 3.0


async def test_work_that_is_called_off_takes_no_more_time():
    loop = asyncio.get_running_loop()
    token = CancelToken()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        job = loop.run_in_executor(pool, take_time, 60.0, token)
        await asyncio.sleep(2.0)
        token.cancel()
        with pytest.raises(Cancelled):
            await job
        assert loop.time() == 2.0
        with pytest.raises(Cancelled):
            await loop.run_in_executor(pool, take_time, 60.0, token)
        assert loop.time() == 2.0


@pytest.mark.real_time
async def test_in_real_time_it_is_called_off_as_well():
    token = CancelToken()
    job = asyncio.get_running_loop().run_in_executor(None, take_time, 60.0, token)
    await asyncio.sleep(0.01)
    token.cancel()
    with pytest.raises(Cancelled):
        await job
