"""An event loop whose clock jumps: an hour's conversation in a moment, the same each time.

When nothing is ready to run, the clock goes straight to the next timer. It does *not* jump

- while work runs in an executor (``run_in_executor``, ``asyncio.to_thread``) or inside ``hold``:
  the clock stands still until the work is done, so thinking takes no time at all, unless the work
  says itself, by ``take_time``, how long it takes;
- while a descriptor other than the loop's own is registered (a socket, a pipe): the outside has no
  virtual time, so the clock then runs at the pace of the real one.

Timers that are due at the same moment run in the order in which they were made; plain asyncio
promises no order. A callback handed over from a thread is taken in before the clock moves, but a
thread that the loop did not start is invisible to it until then: wrap its work in ``hold``.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import math
import selectors
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextvars import Context
from typing import Any, TypeVar, TypeVarTuple, Unpack

from audio.engine import CancelToken
from jarvis_voice.clock import stopwatch

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_RESOLUTION_S = 1e-9  # timers this close are one moment; far above the nudges between equal timers
_KEPT_MOMENTS = 1024  # of timers, before those in the past are forgotten


class NothingLeftToHappen(RuntimeError):
    """Every task waits, no timer is set, and nothing outside is known to be at work."""


class _JumpingSelector(selectors.BaseSelector):
    """Asks the real selector, and moves the clock where that one would wait."""

    def __init__(self, patience_s: float) -> None:
        self._real = selectors.DefaultSelector()
        self._patience_s = patience_s
        self._own = 0  # descriptors that belong to the loop itself
        self._holds = 0
        self._lock = threading.Lock()  # guards _holds, which worker threads lower
        self.now_s = 0.0

    def own_registered(self) -> None:
        self._own = len(self._real.get_map())

    def hold(self, change: int) -> None:
        with self._lock:
            self._holds += change

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return self._real.select(0)
        with self._lock:
            held = self._holds > 0
        if held:
            return self._real.select(None)  # the end of the work wakes the loop
        if len(self._real.get_map()) > self._own:
            return self._wait(timeout)
        ready = self._real.select(0)
        if ready:
            return ready
        if timeout is None:
            return self._wait_for_a_thread()
        # At least one step, however far the clock has come and however short the wait is.
        self.now_s = max(self.now_s + timeout, math.nextafter(self.now_s, math.inf))
        return []

    def _wait(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        started_s = stopwatch()
        ready = self._real.select(timeout)
        passed_s = stopwatch() - started_s
        self.now_s += passed_s if timeout is None or ready else max(timeout, passed_s)
        return ready

    def _wait_for_a_thread(self) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(self._patience_s)
        if not ready:
            raise NothingLeftToHappen(
                "Every task waits for something that nothing is known to bring about. "
                "Wrap the work of a thread of your own in VirtualTimeLoop.hold()."
            )
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop with a clock of its own, which starts at 0.

    ``patience_s`` is real time: how long to wait for a thread when nothing else can happen, before
    NothingLeftToHappen is raised.
    """

    def __init__(self, patience_s: float = 10.0) -> None:
        self._jumping = _JumpingSelector(patience_s)
        self._moments: dict[float, float] = {}  # moment of timers -> where the last of them was put
        self._workers: concurrent.futures.ThreadPoolExecutor | None = None
        super().__init__(self._jumping)
        self._jumping.own_registered()

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._jumping.now_s

    @property
    def _clock_resolution(self) -> float:
        # What the base class adds to the time to find the timers that are due. It must not vanish
        # in the sum, or a timer that is due exactly now never runs: so it grows with the clock.
        return max(_RESOLUTION_S, 2 * math.ulp(self.time()))

    @_clock_resolution.setter
    def _clock_resolution(self, value: float) -> None:
        """Ignored: the base class sets the real clock's resolution, 1 ns or even 16 ms."""

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Keep the clock where it is while something outside the loop is at work.

        The work must end by waking the loop (``call_soon_threadsafe``), in any thread.
        """
        self._jumping.hold(1)
        try:
            yield
        finally:
            self._jumping.hold(-1)

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """As in any loop, but timers of the same moment keep their order.

        Each is put the smallest possible step after the one before it.
        """
        last = self._moments.get(when)
        placed = when if last is None else math.nextafter(last, math.inf)
        if len(self._moments) >= _KEPT_MOMENTS:
            now_s = self.time()
            self._moments = {at: put for at, put in self._moments.items() if at >= now_s}
        self._moments[when] = placed
        return super().call_at(placed, callback, *args, context=context)

    def run_in_executor(
        self,
        executor: concurrent.futures.Executor | None,
        func: Callable[[Unpack[Ts]], T],
        *args: *Ts,
    ) -> asyncio.Future[T]:
        """As in any loop; the clock stands still until the work is done, cancelled or not."""
        if executor is None:
            if self._workers is None:
                self._workers = concurrent.futures.ThreadPoolExecutor(thread_name_prefix="asyncio")
                self.set_default_executor(self._workers)
            executor = self._workers
        self._jumping.hold(1)
        try:
            work = executor.submit(self._at_work, functools.partial(func, *args))
        except RuntimeError:  # the executor was shut down
            self._jumping.hold(-1)
            raise
        future = asyncio.wrap_future(work, loop=self)
        # After wrap_future, so that the result is on its way before the clock is let go.
        work.add_done_callback(lambda _: self._work_done())
        return future

    def _at_work(self, func: Callable[[], T]) -> T:
        _thread.nap = lambda: _Nap(self, self._jumping.hold)
        try:
            return func()
        finally:
            _thread.nap = None

    def _work_done(self) -> None:
        self._jumping.hold(-1)
        with contextlib.suppress(RuntimeError):  # the loop was closed while the work went on
            self.call_soon_threadsafe(lambda: None)

    async def shutdown_default_executor(self, *args: Any, **kwargs: Any) -> None:
        """As in any loop; joining threads takes no virtual time."""
        with self.hold():
            await super().shutdown_default_executor(*args, **kwargs)


class _Thread(threading.local):
    """What a worker thread knows of the loop that it works for."""

    nap: Callable[[], _Nap] | None = None


_thread = _Thread()


class _Nap:
    """A worker thread that waits while the virtual clock goes on."""

    def __init__(self, loop: VirtualTimeLoop, hold: Callable[[int], None]) -> None:
        self._loop = loop
        self._hold = hold
        self._lock = threading.Lock()  # guards the three below
        self._begun = False
        self._over = False
        self._timer: asyncio.TimerHandle | None = None
        self._woken = threading.Event()

    def take(self, seconds: float) -> None:
        self._loop.call_soon_threadsafe(self._begin, seconds)
        self._woken.wait()

    def _begin(self, seconds: float) -> None:
        with self._lock:
            if self._over:
                return
            self._begun = True
            self._timer = self._loop.call_later(seconds, self.end)
        self._hold(-1)

    def end(self) -> None:
        """On the loop's thread: let the work go on, the clock standing still again."""
        with self._lock:
            if self._over:
                return
            self._over = True
            if self._begun:
                self._hold(1)
            if self._timer is not None:
                self._timer.cancel()
        self._woken.set()


class _RealNap:
    """A worker thread that waits while real time goes on."""

    def __init__(self) -> None:
        self._woken = threading.Event()

    def take(self, seconds: float) -> None:
        self._woken.wait(seconds)

    def end(self) -> None:
        self._woken.set()


def take_time(seconds: float, cancel: CancelToken) -> None:
    """Let work in an executor last for ``seconds``, of virtual time in a VirtualTimeLoop.

    Called in the worker thread, while nothing else waits for that thread: what is queued behind it
    keeps the clock standing. Raises Cancelled as soon as ``cancel`` is cancelled, which must
    happen on the loop's thread.
    """
    nap = _thread.nap() if _thread.nap is not None else _RealNap()
    cancel.on_cancel(nap.end)
    nap.take(seconds)
    cancel.forget(nap.end)
    cancel.raise_if_cancelled()


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run ``main`` to its end on a new VirtualTimeLoop, as ``asyncio.run`` would."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
