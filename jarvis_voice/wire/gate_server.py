"""The gate: an HTTP service on loopback that agent runtimes ask before a tool call runs.

``POST /gate/<runtime>`` takes a runtime's own hook JSON and answers with exactly what it accepts;
``POST /gate`` tells the runtime by the content. The answer comes late when the call is held. Events
that only tell something are handed to ``observe`` and answered at once.

Any other runtime asks ``POST /v1/gate`` and waits as long as it takes:

    {"schema": "jarvis.gate/v1", "runtime": "my-agent", "project": "/home/me/shop",
     "run": "run-7", "action": "call-1", "tool": "shell", "input": {"command": "make deploy"}}
    -> {"decision": "allow" | "deny", "reason": "for the agent", "degraded": ""}

``parent`` (the run that started this one) may stand there too. What happens in such a run goes to
``POST /v1/events``: one event or ``{"events": [...]}`` of at most 1000, each an object of the
schema ``jarvis.event/v1``; answered by ``{"accepted": N}``. ``GET /health`` needs no token.

Every request needs the token, as ``Authorization: Bearer``, ``X-Jarvis-Token`` or ``?token=``; a
``Host`` other than loopback and any foreign ``Origin`` are refused, so that no web page gets in. A
body must be JSON of at most 1 MiB that arrives within 10 s. ``?fail=open|closed`` and
``?hold=SECONDS`` carry what ``jarvis attach`` was told. Refusals are 4xx with ``{"error"}``: to a
runtime that is a failed hook, for which its own settings say what follows.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from aiohttp import web

from jarvis_voice import __version__
from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.clock import session_now, unix_now
from jarvis_voice.errors import GateError, JarvisError
from jarvis_voice.wire import canary
from jarvis_voice.wire.batches import Batches
from jarvis_voice.wire.callers import check_token, host_of
from jarvis_voice.wire.settings import GateSettings

BODY_BYTES = 1024 * 1024
BODY_S = 10.0  # a body that arrives slower than this is given up
EVENTS = 1000  # in one batch
EVENT_SCHEMA = "jarvis.event/v1"
HOST = "127.0.0.1"
_LOCAL = {"127.0.0.1", "localhost"}
_LINGER_S = 2.0  # the rest of a refused body is thrown away, so that its sender reads the refusal
_CLOSE_S = 5.0  # for answers under way when the gate closes


class Runtime(Protocol):
    """What the gate needs to know of one runtime."""

    NAME: str
    DEADLINE_S: float
    PRE_TOOL: Mapping[str, Any]
    BATCH_END: tuple[str, ...]

    def recognizes(self, payload: Mapping[str, Any]) -> bool: ...
    def proposed(self, payload: Mapping[str, Any], now_s: float) -> ProposedAction | None: ...
    def reply(self, payload: Mapping[str, Any], ruling: Ruling) -> dict[str, Any]: ...
    def observed(self, payload: Mapping[str, Any]) -> dict[str, Any] | None: ...


Review = Callable[[ProposedAction], Awaitable[Ruling]]


@dataclass(frozen=True, slots=True)
class Ears:
    """Who is told what the gate hears. None of them may block or raise."""

    observe: Callable[[str, dict[str, Any]], None]
    """A runtime's name and a record that runs are read from: a hook input, most often in Claude
    Code's form, or a ``jarvis.event/v1``, whose name is then the schema's."""

    gone: Callable[[ProposedAction], None] = lambda _action: None
    """Nobody waits for this action's ruling any more: the runtime left, or its time was up."""

    fault: Callable[[str], None] = lambda _line: None
    """One line on a request that was refused or could not be read."""


@dataclass(frozen=True, slots=True)
class _Terms:
    """How one request wants to be treated."""

    closed: bool
    hold_s: float


class GateServer:
    """The gate. ``review`` rules on an action, however late; it is cancelled when nobody waits.

    ``runtimes`` are by name, the most general first, as ``jarvis_voice.runtimes.RUNTIMES`` is.
    """

    def __init__(
        self,
        review: Review,
        ears: Ears,
        settings: GateSettings,
        runtimes: Mapping[str, Runtime],
        token: str,
    ) -> None:
        self._review = review
        self._ears = ears
        self._settings = settings
        self._runtimes = runtimes
        self._token = token.encode()
        self._batches = Batches()
        self._holds: set[asyncio.Timeout] = set()
        self._closing = False
        self._runner: web.AppRunner | None = None
        self.port = 0  # known once started

    @property
    def holding(self) -> int:
        """How many actions wait for a ruling."""
        return len(self._holds)

    async def start(self) -> None:
        """Listen. Raises GateError when the port is taken."""
        app = web.Application(client_max_size=BODY_BYTES, middlewares=[self._guarded])
        app.router.add_get("/health", self._health)
        app.router.add_post("/gate", self._gate)
        app.router.add_post("/gate/{runtime}", self._gate)
        app.router.add_post("/v1/gate", self._gate)
        app.router.add_post("/v1/events", self._events)
        runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            handler_cancellation=True,  # how we learn that a runtime has left
            auto_decompress=False,  # hooks send plain JSON; a packed one could burst
            lingering_time=_LINGER_S,
            shutdown_timeout=_CLOSE_S,
        )
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, self._settings.port).start()
        except OSError as error:
            await runner.cleanup()
            raise GateError(
                f"The gate cannot listen on {HOST}:{self._settings.port}: "
                f"{(error.strerror or 'it is taken').lower()}.",
                "Is another Jarvis running? Else choose another [gate] port in the settings.",
            ) from error
        self._runner = runner
        self.port = runner.addresses[0][1]

    async def stop(self) -> None:
        """Answer what is held by its rule, and stop listening."""
        self._closing = True
        for hold in self._holds:
            hold.reschedule(session_now())
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> GateServer:
        await self.start()
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.stop()

    # --- who may come in -----------------------------------------------------------------------

    @web.middleware
    async def _guarded(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        try:
            self._check(request)
            return await handler(request)
        except web.HTTPException as refusal:
            self._ears.fault(f"{request.method} {request.path}: {refusal.reason}")
            answer = {"error": refusal.reason}
            return web.json_response(answer, status=refusal.status)

    def _check(self, request: web.Request) -> None:
        if host_of(request) not in _LOCAL:
            raise web.HTTPForbidden(reason="this host name is not served")
        origin = request.headers.get("Origin")
        if origin is not None:
            raise web.HTTPForbidden(reason="web pages are not served")
        if request.path == "/health":
            return
        check_token(request, self._token)

    async def _health(self, _request: web.Request) -> web.Response:
        return web.json_response({"service": "jarvis-gate", "version": __version__})

    # --- what they say -------------------------------------------------------------------------

    async def _gate(self, request: web.Request) -> web.Response:
        runtime = self._named(request)
        payload = _object(await _body(request))
        if runtime is None:
            runtime = self._recognized(payload)
        terms = self._terms(request, runtime)
        if payload is None:
            self._ears.fault(f"{runtime.NAME}: a hook input is no JSON object")
            ruling = _by_rule(terms, "Jarvis could not read the hook's input")
            return web.json_response(runtime.reply(runtime.PRE_TOOL, ruling))
        ruling = await self._ruled(runtime, payload, terms)
        return web.json_response(runtime.reply(payload, ruling))

    def _named(self, request: web.Request) -> Runtime | None:
        name = "any" if request.path == "/v1/gate" else request.match_info.get("runtime")
        if name is None:
            return None
        if name not in set(self._runtimes):
            raise web.HTTPNotFound(reason="this runtime is not known")
        return self._runtimes[name]

    def _recognized(self, payload: dict[str, Any] | None) -> Runtime:
        for name in reversed(list(self._runtimes)):
            if payload is not None and self._runtimes[name].recognizes(payload):
                return self._runtimes[name]
        raise web.HTTPBadRequest(reason="this is no hook input of a known runtime")

    def _terms(self, request: web.Request, runtime: Runtime) -> _Terms:
        rule = request.query.get("fail", self._settings.fail)
        hold_s = min(self._settings.hold_s, runtime.DEADLINE_S)
        with contextlib.suppress(ValueError):
            hold_s = min(hold_s, max(float(request.query.get("hold", hold_s)), 0.0))
        return _Terms(rule == "closed", hold_s)

    async def _ruled(self, runtime: Runtime, payload: dict[str, Any], terms: _Terms) -> Ruling:
        observed = runtime.observed(payload)
        action = runtime.proposed(payload, unix_now())
        if action is not None and canary.is_canary(action):
            await asyncio.sleep(canary.HOLD_S)
            return canary.ruling(action)
        batch = None
        if observed is not None:
            batch = self._batches.note(observed, runtime.BATCH_END)
            self._ears.observe(action.runtime if action else runtime.NAME, observed)
        if action is None and runtime.NAME == "any":
            raise web.HTTPBadRequest(reason="schema, run and tool must be named")
        if action is None:
            return Ruling(Verdict.ALLOW)
        if action.batch_id is None and batch is not None:
            action = replace(action, batch_id=batch)
        return await self._held(action, terms)

    async def _held(self, action: ProposedAction, terms: _Terms) -> Ruling:
        """The review's ruling, or the rule when it takes too long or fails."""
        if self._closing:
            return _by_rule(terms, "Jarvis is closing")
        try:
            async with self._hold(terms.hold_s):
                return await self._review(action)
        except TimeoutError:
            self._ears.gone(action)
            why = "Jarvis was closed" if self._closing else "nobody decided in time"
            return _by_rule(terms, why)
        except asyncio.CancelledError:
            self._ears.gone(action)
            raise
        except JarvisError as error:
            self._ears.fault(f"{action.runtime} {action.action_id}: {error}")
            return _by_rule(terms, error.problem.rstrip("."))

    @contextlib.asynccontextmanager
    async def _hold(self, hold_s: float) -> AsyncIterator[None]:
        async with asyncio.timeout(hold_s) as hold:
            self._holds.add(hold)
            try:
                yield
            finally:
                self._holds.discard(hold)

    async def _events(self, request: web.Request) -> web.Response:
        document = _object(await _body(request))
        events = document.get("events", [document]) if document is not None else None
        if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
            raise web.HTTPBadRequest(reason="an event is a JSON object")
        if len(events) > EVENTS:
            raise web.HTTPRequestEntityTooLarge(EVENTS, len(events))
        for event in events:
            self._ears.observe(EVENT_SCHEMA, event)
        return web.json_response({"accepted": len(events)})


def _by_rule(terms: _Terms, why: str) -> Ruling:
    """What follows when nobody could decide."""
    if terms.closed:
        reason = (
            f"Jarvis refused this call because {why}. It was set to refuse then (fail closed). "
            "Nothing was run. Ask the user before you try it again."
        )
        return Ruling(Verdict.DENY, reason)
    return Ruling(Verdict.ALLOW, degraded=why)


async def _body(request: web.Request) -> bytes:
    """The body, never more of it in memory than is allowed."""
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(reason="a body is application/json")
    if (request.content_length or 0) > BODY_BYTES:
        raise web.HTTPRequestEntityTooLarge(BODY_BYTES, request.content_length or 0)
    try:
        async with asyncio.timeout(BODY_S):
            return await request.read()
    except TimeoutError:
        raise web.HTTPRequestTimeout(reason="the body came too slowly") from None


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
