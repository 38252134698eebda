"""Which commands provably change nothing. Pure.

Only plain commands (no control, expansion, redirection or wildcard; see ``shell``) can be proven,
and only of these programs with none of the options that let them write or start something else.
"""

from __future__ import annotations

import re

from jarvis_voice.attention.shell import Reading, program

_ALWAYS = frozenset(
    """ls cat head tail wc pwd echo printf which whereis type stat du df uname whoami id groups date
    basename dirname realpath readlink nproc uptime ps free arch true false test cut tr nl comm
    paste column fold cksum md5sum sha1sum sha256sum sha512sum b2sum strings hexdump od cmp diff
    grep egrep fgrep zgrep jq file tty locale getconf lsof tree rg ag fd find git sort sed gh npm
    pip cargo python python3 node go docker kubectl""".split()
)
_WRITES: dict[str, str] = {  # options after which a reader is none
    "sort": r"-o.*|--output.*|--compress-program.*|-T.*|--temporary.*|-[a-zA-Z]*o.*",
    "tree": r"-o.*|-R|--output.*",
    "rg": r"--pre.*|--search-zip|-z",
    "fd": r"-[a-zA-Z]*[xX].*|--exec.*",
    "find": r"-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)",
    "date": r"-s.*|--set.*|\d{8,}.*",
    "ag": r"--pager.*",
    "file": r"-C|--compile|-[a-zA-Z]*C.*",
    "ps": r"never",
    "diff": r"--output.*",
    "sed": r"-[a-zA-Z]*[ifs].*|--in-place.*|--file.*|-e.*|--expression.*|[^-].*[wWer].*",
}
_GIT = frozenset(
    """status log diff show blame ls-files ls-tree rev-parse rev-list describe shortlog cat-file
    merge-base name-rev show-ref for-each-ref whatchanged grep count-objects version cherry
    diff-tree diff-index range-diff var check-ignore""".split()
)
_SUBCOMMANDS: dict[str, str] = {  # what the whole argument list must look like
    "gh": r"(?:pr|issue|release|run|repo|workflow|gist|label)"
    r" (?:list|view|status|diff|checks)(?: .*)?",
    "npm": r"(?:ls|list|view|outdated|root|prefix)(?: .*)?|--version|-v",
    "pip": r"(?:list|show|freeze)(?: .*)?|--version",
    "cargo": r"--version|-V|tree|metadata",
    "python": r"--version|-V",
    "python3": r"--version|-V",
    "node": r"--version|-v",
    "go": r"version|list(?: \S+)*",
    "docker": r"ps(?: .*)?|images(?: .*)?|logs \S+|inspect .*|version|info|--version",
    "kubectl": r"(?:get|describe|logs|top|explain|version|cluster-info|api-resources)(?: .*)?",
    "sed": r"-n \d*(?:,\d*)?p \S+",
    "git": r".*",
}
_GIT_LISTS = re.compile(
    r"branch(?: (?:-a|-v|-vv|-r|--all|--list|--show-current|--remotes|--contains(?: \S+)?))*"
    r"|tag(?: (?:-l|--list|-n\d*))*|remote(?: (?:-v|show \S+|get-url \S+))?"
    r"|stash (?:list|show)(?: \S+)?|config (?:--get|--list|-l|get|list)(?: \S+)?|worktree list"
    r"|reflog(?: show)?(?: \S+)?|submodule status|notes (?:list|show)(?: \S+)?"
)
_GIT_WRITES = re.compile(r"--output(?:=.*)?|--ext-diff|--textconv|-O.*|--open-files-in-pager.*")


def changes_nothing(reading: Reading) -> bool:
    """Proven: the command only reads."""
    if not reading.plain or len(reading.commands) != 1:
        return False
    command = reading.commands[0]
    if not command.words or command.writes or "/" in command.words[0]:
        return False  # a program given by its path can be anything
    name, rest = program(command.words[0]), command.words[1:]
    if name not in _ALWAYS:
        return False
    if name in _WRITES and name != "sed" and any(re.fullmatch(_WRITES[name], w) for w in rest):
        return False
    if name == "git":
        return _git_reads(rest)
    shape = _SUBCOMMANDS.get(name)
    return shape is None or re.fullmatch(shape, " ".join(rest)) is not None


def _git_reads(rest: tuple[str, ...]) -> bool:
    words = list(rest)
    while words and words[0] in ("--no-pager", "-P"):
        words.pop(0)
    if words[:1] == ["-C"]:
        words = words[2:]
    if not words or any(_GIT_WRITES.fullmatch(word) for word in words):
        return words == ["--version"]
    return words[0] in _GIT or _GIT_LISTS.fullmatch(" ".join(words)) is not None
