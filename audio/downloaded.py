"""Engines of an optional extra, whose weights no package carries: the user downloads them once."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from audio.engine import EngineInfo, EngineKind, Weight
from audio.errors import EngineMissing
from audio.weights import hub_snapshot


@dataclass(frozen=True, slots=True)
class DownloadedEngine:
    """What such an engine needs to be there; nothing is imported or downloaded to tell."""

    name: str
    kind: EngineKind
    description: str
    extra: str  # of the distribution jarvis-voice, which brings the packages
    packages: tuple[str, ...]  # as they are imported
    licence: str = "Apache-2.0"  # of the weights, SPDX
    files: tuple[str, ...] = ()  # to download, all of the model's when empty
    languages: tuple[str, ...] = ("en",)

    @property
    def install(self) -> str:
        """The command that brings the packages."""
        return f'pip install "jarvis-voice[{self.extra}]"'

    def describe(self, model: str) -> EngineInfo:
        """The engine as it is listed; installed when its packages and its weights are.

        ``model`` is a folder, or a name in the hub's cache.
        """
        packages = all(importlib.util.find_spec(name) for name in self.packages)
        try:
            path: str | None = str(hub_snapshot(model))
        except EngineMissing:
            path = None
        download = " ".join(("hf download", model, *self.files))
        hints = ([] if packages else [self.install]) + ([] if path else [download])
        return EngineInfo(
            name=self.name,
            kind=self.kind,
            description=self.description,
            installed=not hints,
            weights=(Weight(model, "a download by the user", self.licence, path),),
            languages=self.languages,
            install_hint=" && ".join(hints),
        )
