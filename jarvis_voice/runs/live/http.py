"""A runtime's HTTP server, with every failure as one of our errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiohttp

from jarvis_voice.errors import RunUnreachable
from jarvis_voice.redact import redact
from jarvis_voice.runs.live.base import ANSWER_S

_MISSING = 404
_BAD = 400
_SHOWN = 200  # characters of a refusal that are told


class Http:
    """The server at ``base``; ``name`` is what people call it."""

    def __init__(self, base: str, name: str, headers: Mapping[str, str] | None = None) -> None:
        self._base = base.rstrip("/")
        self._name = name
        self._headers = dict(headers or {})
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[aiohttp.ClientSession]:
        """The connection, for as long as the context lasts."""
        waits = aiohttp.ClientTimeout(total=ANSWER_S)
        async with aiohttp.ClientSession(headers=self._headers, timeout=waits) as session:
            self._session = session
            try:
                yield session
            finally:
                self._session = None

    def stream(self, path: str) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """An answer that goes on for as long as the server likes."""
        endless = aiohttp.ClientTimeout(total=None, connect=ANSWER_S)
        return self._reached().get(self._base + path, timeout=endless, raise_for_status=True)

    async def get(self, path: str) -> Any:
        """The JSON at ``path``. Raises RunUnreachable."""
        return await self._asked("GET", path, None)

    async def post(self, path: str, given: Mapping[str, Any], *, missing_ok: bool = False) -> Any:
        """What the server answers, True when that is nothing; None for a missing path when that
        is ``missing_ok``. Raises RunUnreachable.
        """
        return await self._asked("POST", path, given, missing_ok=missing_ok)

    async def _asked(
        self, method: str, path: str, given: Mapping[str, Any] | None, *, missing_ok: bool = False
    ) -> Any:
        try:
            async with self._reached().request(method, self._base + path, json=given) as answer:
                if answer.status == _MISSING and missing_ok:
                    return None
                if answer.status >= _BAD:
                    told = redact((await answer.text())[:_SHOWN])
                    raise RunUnreachable(
                        f"{self._name} refused with {answer.status}: {told}", "Ask what it does."
                    )
                if "json" not in answer.content_type:
                    return True
                return await answer.json()
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise RunUnreachable(
                f"{self._name} does not answer ({type(error).__name__}).", "Try again."
            ) from error

    def _reached(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RunUnreachable(
                f"There is no connection to {self._name} now.", "It is tried again; wait."
            )
        return self._session
