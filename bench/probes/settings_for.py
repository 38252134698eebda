"""Opens the setting that ``--over`` names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from bench.probes.files import FilesSetting
from bench.probes.play import Setting
from bench.probes.websocket import WebsocketSetting


@contextlib.contextmanager
def opened(name: str) -> Iterator[Setting]:
    """The setting, for as long as the probe runs. Raises RoomFailed where there can be no room."""
    if name == "files":
        yield FilesSetting()
    elif name == "websocket":
        yield WebsocketSetting()
    else:
        from bench.probes.room import opened_room

        with opened_room() as room:
            yield room
