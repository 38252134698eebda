"""Cursor: ``hooks.json``, a flat list of commands per event."""

from __future__ import annotations

from jarvis_voice.runtimes.attach.command_hooks import CommandHooks

ATTACHMENT = CommandHooks(
    name="cursor",
    program="cursor-agent",
    folder=".cursor",
    file="hooks.json",
    gated="preToolUse",
    told=(
        "sessionStart",
        "beforeSubmitPrompt",
        "postToolUse",
        "postToolUseFailure",
        "stop",
        "sessionEnd",
    ),
    flat=True,
    head=(("version", 1),),
    closed=(("failClosed", True),),
    session="conversation_id",
    example=(
        ("generation_id", "canary"),
        ("tool_use_id", "canary"),
        ("tool_name", "Shell"),
        ("workspace_roots", []),
    ),
    hints=("Cursor before the preToolUse hook does not ask; look under Settings, Hooks.",),
)
