"""What a request says of who calls: the host that it was sent to, and the token that it shows."""

from __future__ import annotations

import hmac

from aiohttp import web


def host_of(request: web.Request) -> str:
    """The name of the ``Host`` header, without its port, in lower case."""
    header = request.headers.get("Host", "")
    name, _, port = header.rpartition(":")
    return (name if port.isdigit() else header).lower()


def check_token(request: web.Request, token: bytes) -> None:
    """Compares the token in constant time. Raises HTTPUnauthorized for a wrong one and for none.

    It may come as ``Authorization: Bearer``, ``X-Jarvis-Token`` or ``?token=``.
    """
    if not hmac.compare_digest(_token_of(request), token):
        raise web.HTTPUnauthorized(reason="the token is missing or wrong")


def _token_of(request: web.Request) -> bytes:
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        value = request.headers.get("X-Jarvis-Token") or request.query.get("token", "")
    return value.strip().encode("utf-8", "surrogateescape")
