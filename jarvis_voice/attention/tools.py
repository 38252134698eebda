"""What kind of tool a name stands for, over all runtimes that are known. Pure.

A name that is not known is judged by its words, and never counts as a reader: what ``query`` or
``get`` of a foreign tool really does cannot be told from outside.
"""

from __future__ import annotations

import re
from enum import Enum

from jarvis_voice.attention.effect_tables import Effect


class ToolKind(Enum):
    """What a tool can do."""

    READ = "read"  # and nothing else
    SHELL = "shell"
    WRITE = "write"  # files, by its arguments
    OTHER = "other"


_READERS = frozenset(
    """read grep glob ls webfetch websearch todowrite todoread notebookread bashoutput toolsearch
    taskget tasklist taskoutput exitplanmode enterplanmode askuserquestion listmcpresources
    readmcpresource lsp
    update_plan view_image web_search websearchcall list_dir list_directory read_file
    read_many_files read_files search_file_content grep_search file_search codebase_search
    google_web_search
    web_fetch glob_file_search read_lints list todoread todo_write write_todos
    sessions_list sessions_history session_status memory_search memory_get image agents_list
    think finish tool_search semsearch request_user_input""".split()
)
_SHELLS = frozenset(
    """bash shell exec local_shell shell_command exec_command unified_exec run_shell_command
    run_terminal_cmd run_terminal_command run_command terminal execute_bash powershell cmd
    beforeshellexecution execute_command container.exec write_stdin process""".split()
)
_WRITERS = frozenset(
    """write edit multiedit notebookedit apply_patch applypatch write_file replace edit_file
    create_file str_replace_editor str_replace_based_edit_tool file_editor patch delete_file
    search_replace write_to_file insert_edit_into_file save_file""".split()
)
_DOMAIN = re.compile(r"github|gitlab|bitbucket|jira|linear|confluence|notion|asana|forge")
_VERBS: tuple[tuple[str, str, bool], ...] = (
    ("spend", "pay payment purchase buy charge order checkout refund transfer payout book", True),
    ("send", "send email mail notify tweet reply sms message dm broadcast", True),
    ("publish", "publish release", True),
    ("delete", "delete drop purge destroy wipe truncate remove", True),
    ("migrate", "migrate migration", True),
    ("deploy", "deploy rollback promote restart", False),
)
_FORGE_VERBS = frozenset(
    "create update merge push close comment add edit submit approve transition fork assign".split()
)
_READ_VERBS = frozenset("get list read search find fetch query describe view show lookup".split())


def tool_kind(tool: str) -> ToolKind:
    """The kind of a tool by its name, as its runtime spells it."""
    name = tool.strip().lower()
    if name in _SHELLS:
        return ToolKind.SHELL
    if name in _WRITERS:
        return ToolKind.WRITE
    return ToolKind.READ if name in _READERS else ToolKind.OTHER


def tool_effect(tool: str) -> Effect | None:
    """The lasting effect that the name of a foreign tool announces; None for an ordinary one."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", tool.strip()).lower()
    words = re.findall(r"[a-z]+", name.split("__")[-1])
    if not words or words[0] in _READ_VERBS:
        return None
    for effect, verbs, irreversible in _VERBS:
        if set(words) & set(verbs.split()):
            return Effect(effect, irreversible, tool[:120])
    if _DOMAIN.search(name) and set(words) & _FORGE_VERBS:
        return Effect("github_write", True, tool[:120])
    return None
