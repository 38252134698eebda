"""Codex: ``hooks.json``, command hooks only (0.171.0 seen)."""

from __future__ import annotations

from jarvis_voice.runtimes.attach.command_hooks import CommandHooks

ATTACHMENT = CommandHooks(
    name="codex",
    program="codex",
    folder=".codex",
    file="hooks.json",
    variable="CODEX_HOME",
    gated="PreToolUse",
    told=("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"),
    example=(
        ("turn_id", "canary"),
        ("tool_use_id", "canary"),
        ("model", "canary"),
        ("permission_mode", "default"),
    ),
    hints=(
        "Codex runs no new hook before you have trusted it: start codex, type /hooks and trust "
        "those of Jarvis. After each change it asks again.",
        "A hook that Codex itself cannot start or that it kills lets the call run, whatever --fail "
        "says; Codex has no setting for that.",
    ),
)
