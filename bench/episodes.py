"""Runs independent pieces of work here, in processes, or on Ray; results come in the order given.

Each piece is a plain value that can be sent to another process, and so is its result, so where it
runs changes nothing but how long it takes. Never more than a few pieces are on their way, so that
an interruption loses little. Ray is optional (extra ``ray``); this is its edge.
"""

from __future__ import annotations

import concurrent.futures
import itertools
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from bench.errors import EpisodesStopped
from jarvis_voice.errors import SettingsError

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD: Final = 3  # pieces for each process that are on their way
LOCAL_RAY: Final = "local"


@dataclass(frozen=True, slots=True)
class Where:
    """Where work runs: ``jobs`` processes here, or ``ray``, an address or "local"."""

    jobs: int = 1
    ray: str = ""


def run_all(
    work: Callable[[Item], Result], items: Sequence[Item], where: Where
) -> Iterator[Result]:
    """The result of each item, in order, as soon as it and all before it are there.

    ``work`` must be a function of a module. Raises EpisodesStopped when a process or the cluster is
    lost, and SettingsError without Ray; what was given out before is whole.
    """
    if where.ray:
        return _on_ray(work, items, where)
    if where.jobs > 1:
        return _in_processes(work, items, where.jobs)
    return map(work, items)


def _in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], jobs: int
) -> Iterator[Result]:
    # a forked process would share this one's threads' locks
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        ahead: deque[concurrent.futures.Future[Result]] = deque()
        rest = iter(items)
        try:
            ahead.extend(pool.submit(work, item) for item in itertools.islice(rest, AHEAD * jobs))
            while ahead:
                yield ahead.popleft().result()
                ahead.extend(pool.submit(work, item) for item in itertools.islice(rest, 1))
        except BrokenProcessPool as error:
            raise EpisodesStopped(
                "A process that ran a part of the benchmark was lost.",
                "What was written is kept; the same command goes on from there.",
            ) from error
        finally:
            for future in ahead:
                future.cancel()


def _on_ray(
    work: Callable[[Item], Result], items: Sequence[Item], where: Where
) -> Iterator[Result]:
    ray = _ray()
    try:
        _join(ray, where)
        remote = ray.remote(max_retries=2)(lambda item: work(item))  # Ray takes plain functions
        ahead: deque[Any] = deque()
        rest = iter(items)
        slots = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        ahead.extend(remote.remote(item) for item in itertools.islice(rest, slots))
        while ahead:
            yield ray.get(ahead.popleft())
            ahead.extend(remote.remote(item) for item in itertools.islice(rest, 1))
    except (ray.exceptions.RayError, ConnectionError) as error:
        raise EpisodesStopped(
            f"Ray stopped: {str(error).splitlines()[0][:300]}",
            "What was written is kept; the same command goes on from there.",
        ) from error
    finally:
        ray.shutdown()


def _join(ray: Any, where: Where) -> None:
    local = where.ray == LOCAL_RAY
    ray.init(
        address=None if local else where.ray,
        num_cpus=max(1, where.jobs) if local else None,
        include_dashboard=False if local else None,
        log_to_driver=False,
        logging_level="ERROR",
    )


def _ray() -> Any:  # Any: Ray is not there in most installations
    """Ray's module; it is told to send nothing home. Raises SettingsError without it."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # else it sets the variables by which programs find accelerators, and warns of it
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise SettingsError(
            "The package ray is not installed.", "Install it: pip install 'jarvis-voice[ray]'."
        ) from error
    return ray
