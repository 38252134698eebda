"""Gemini CLI: ``settings.json``, whose hooks count their time in milliseconds."""

from __future__ import annotations

from jarvis_voice.runtimes.attach.command_hooks import CommandHooks

ATTACHMENT = CommandHooks(
    name="gemini",
    program="gemini",
    folder=".gemini",
    file="settings.json",
    gated="BeforeTool",
    told=("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"),
    per_second=1000,
    example=(("timestamp", "2026-01-01T00:00:00Z"), ("tool_name", "run_shell_command")),
    hints=("A hook that Gemini CLI itself kills lets the call run, whatever --fail says.",),
)
