"""OpenHands: ``hooks.json``; a project's own file takes the place of the user's."""

from __future__ import annotations

from jarvis_voice.runtimes.attach.command_hooks import CommandHooks

ATTACHMENT = CommandHooks(
    name="openhands",
    program="openhands",
    folder=".openhands",
    file="hooks.json",
    gated="PreToolUse",
    told=("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"),
    matcher="*",
    session="session_id",
    event="event_type",
    project="working_dir",
    example=(("tool_name", "terminal"),),
    hints=(
        "OpenHands reads the user's hooks only where a project has none of its own.",
        "A hook that OpenHands itself kills lets the call run, whatever --fail says.",
    ),
)
