"""Reads a shell command far enough to know which programs it would start. Pure, never raises.

It is conservative in both directions that matter: a command counts as *plain* only when it is one
list of literal words without any control, expansion, redirection or wildcard; and every program
that can be found anywhere in it, also in substitutions, wrappers and nested shells, is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

COMMAND_CHARS = 20_000
"""Longest command that is read; of a longer one the start, and it is never plain."""

DEPTH = 4  # of shells in shells

_OPERATORS = ("&&", "||", ";;", "|&", ";", "&", "|", "\n", "(", ")")
_REDIRECTS = ("&>>", "<<<", "<<-", "&>", ">>", "<<", "<>", ">|", ">&", "<&", ">", "<")
_WRITES = {"&>>", "&>", ">>", "<>", ">|", ">&", ">"}
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_KEYWORDS = frozenset(
    "if then elif else fi for while until do done case esac in { } ! time".split()
)
_SHELLS = frozenset("sh bash zsh dash ksh fish".split())


@dataclass(frozen=True, slots=True)
class Words:
    """One simple command: its words without quotes, and what it is redirected to."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()  # targets of output redirections
    text: str = ""  # as it stands in the command
    fed: str = ""  # a here-document or here-string


@dataclass(frozen=True, slots=True)
class Reading:
    """All simple commands, in order, wrappers taken off, nested ones after their host."""

    commands: tuple[Words, ...]
    plain: bool


@dataclass(slots=True)
class _Scan:
    text: str
    at: int = 0
    plain: bool = True
    words: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    word: list[str] | None = None
    redirect: str = ""
    begun: int = 0
    fed: str = ""
    heredocs: list[tuple[str, bool]] = field(default_factory=list)
    found: list[Words] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)


def read(command: str) -> Reading:
    """What the command would start."""
    cut = command[:COMMAND_CHARS]
    commands, plain = _read(cut, DEPTH)
    return Reading(tuple(commands), plain and len(command) <= COMMAND_CHARS and bool(commands))


def _read(text: str, depth: int) -> tuple[list[Words], bool]:
    scan = _scan(text)
    commands: list[Words] = []
    plain = scan.plain and len(scan.found) == 1
    for found in scan.found:
        bare = _unwrapped(found)
        plain = plain and bare is found
        commands.append(bare)
        nested = _nested(bare) if depth else ()
        for inner in nested:
            plain = False
            commands += _read(inner, depth - 1)[0]
    for inner in scan.inner if depth else ():
        commands += _read(inner, depth - 1)[0]
    return commands, plain


# --- words


def _scan(text: str) -> _Scan:
    scan = _Scan(text)
    while scan.at < len(text):
        _step(scan)
    _end_word(scan)
    _end_command(scan)
    return scan


def _step(scan: _Scan) -> None:
    text, at = scan.text, scan.at
    char = text[at]
    if char == "\\":
        _escape(scan)
    elif char in "'\"":
        _quoted(scan, char)
    elif char in "$`":
        _expansion(scan)
    elif char in " \t\r":
        _end_word(scan)
        scan.at += 1
    elif char == "#" and scan.word is None:
        end = text.find("\n", at)
        scan.at = len(text) if end < 0 else end
    else:
        _operator_or_letter(scan, char)


def _operator_or_letter(scan: _Scan, char: str) -> None:
    text, at = scan.text, scan.at
    redirect = next((item for item in _REDIRECTS if text.startswith(item, at)), "")
    operator = next((item for item in _OPERATORS if text.startswith(item, at)), "")
    if redirect:
        _begin_redirect(scan, redirect)
    elif operator:
        scan.plain = scan.plain and (operator == "\n" and not text[at:].strip())
        _end_word(scan)
        _end_command(scan)
        scan.at += len(operator)
        if operator == "\n":
            _take_heredocs(scan)
    else:
        if char in "*?[]{}~!":
            scan.plain = False
        _add(scan, char)
        scan.at += 1


def _add(scan: _Scan, piece: str) -> None:
    if scan.word is None:
        scan.word = []
        if not scan.words and not scan.writes:
            scan.begun = scan.at
    scan.word.append(piece)


def _escape(scan: _Scan) -> None:
    following = scan.text[scan.at + 1 : scan.at + 2]
    if following != "\n":
        _add(scan, following)
        scan.plain = scan.plain and bool(following)
    scan.at += 2


def _quoted(scan: _Scan, quote: str) -> None:
    text = scan.text
    _add(scan, "")
    scan.at += 1
    while scan.at < len(text) and text[scan.at] != quote:
        char = text[scan.at]
        if quote == '"' and char in "$`":
            _expansion(scan)
        elif quote == '"' and char == "\\" and text[scan.at + 1 : scan.at + 2] in tuple('"\\$`\n'):
            _add(scan, text[scan.at + 1 : scan.at + 2].strip("\n"))
            scan.at += 2
        else:
            _add(scan, char)
            scan.at += 1
    if scan.at >= len(text):
        scan.plain = False  # the quote is never closed
    scan.at += 1


def _expansion(scan: _Scan) -> None:
    """``$name``, ``$(...)`` or back quotes: never plain; what a substitution runs is kept."""
    text, at = scan.text, scan.at
    scan.plain = False
    if text.startswith("$(", at):
        end = _closing(text, at + 1)
        scan.inner.append(text[at + 2 : end])
        _add(scan, text[at : end + 1])
        scan.at = end + 1
    elif text[at] == "`":
        end = text.find("`", at + 1)
        end = len(text) if end < 0 else end
        scan.inner.append(text[at + 1 : end])
        _add(scan, text[at : end + 1])
        scan.at = end + 1
    else:
        _add(scan, "$")
        scan.at += 1


def _closing(text: str, at: int) -> int:
    """Where the parenthesis that opens at ``at`` closes; the end when it never does."""
    depth, quote, index = 0, "", at
    while index < len(text):
        char = text[index]
        if char == "\\":
            index += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
            if depth == 0:
                return index
        index += 1
    return len(text)


def _begin_redirect(scan: _Scan, redirect: str) -> None:
    text = scan.text
    scan.plain = False
    if scan.word is not None and "".join(scan.word).isdigit():
        scan.word = None  # the number of a descriptor
    _end_word(scan)
    after = scan.at + len(redirect)
    if redirect in ("<", ">") and text[after : after + 1] == "(":
        end = _closing(text, after)
        scan.inner.append(text[after + 1 : end])
        _add(scan, text[scan.at : end + 1])
        scan.at = end + 1
        return
    scan.redirect = redirect
    scan.at = after


def _end_word(scan: _Scan) -> None:
    if scan.word is None:
        return
    word, scan.word = "".join(scan.word), None
    redirect, scan.redirect = scan.redirect, ""
    if redirect in ("<<", "<<-"):
        scan.heredocs.append((word, redirect == "<<-"))
    elif redirect == "<<<":
        scan.fed += word
    elif redirect in _WRITES:
        scan.writes.append(word)
    elif not redirect:
        scan.words.append(word)


def _end_command(scan: _Scan) -> None:
    scan.redirect = ""
    if scan.words or scan.writes:
        text = scan.text[scan.begun : scan.at].strip()
        found = Words(tuple(scan.words), tuple(scan.writes), text, scan.fed)
        scan.found.append(found)
    scan.words, scan.writes, scan.fed = [], [], ""


def _take_heredocs(scan: _Scan) -> None:
    """The bodies that follow this line; they feed the newest command."""
    text = scan.text
    for mark, tabs in scan.heredocs:
        body: list[str] = []
        while scan.at < len(text):
            end = text.find("\n", scan.at)
            end = len(text) if end < 0 else end
            line = text[scan.at : end]
            scan.at = end + 1
            if (line.lstrip("\t") if tabs else line) == mark:
                break
            body.append(line)
        if scan.found:
            last = scan.found[-1]
            fed = "\n".join(body)
            scan.found[-1] = Words(last.words, last.writes, last.text, last.fed + fed)
    scan.heredocs = []


# --- wrappers and nested shells

_ONE_ARGUMENT = {  # options of wrappers that take the next word
    "sudo": {"-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U"},
    "doas": {"-u", "-C"},
    "env": {"-u", "-C", "-S", "--unset", "--chdir"},
    "nice": {"-n"},
    "ionice": {"-c", "-n", "-p"},
    "timeout": {"-s", "-k", "--signal", "--kill-after"},
    "xargs": {"-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"},
    "stdbuf": {"-i", "-o", "-e"},
    "time": {"-f", "-o"},
    "watch": {"-n"},
    "nohup": set(),
    "setsid": set(),
    "command": set(),
    "builtin": set(),
    "exec": {"-a"},
    "chronic": set(),
    "caffeinate": {"-t", "-w"},
    "npx": {"-p", "--package"},
    "pnpx": set(),
    "bunx": set(),
    "uvx": {"--from", "--with"},
}
_RUNNERS = {  # two words that start another program
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("bundle", "exec"),
    ("npm", "exec"),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "exec"),
    ("yarn", "dlx"),
    ("mise", "exec"),
    ("op", "run"),
    ("doppler", "run"),
}


def _unwrapped(found: Words) -> Words:
    """The command without keywords, assignments and programs that only start another one."""
    words = list(found.words)
    for _ in range(12):
        before = len(words)
        while words and (words[0] in _KEYWORDS or _ASSIGNMENT.match(words[0])):
            words.pop(0)
        words = _without_wrapper(words)
        if len(words) == before:
            break
    if tuple(words) == found.words:
        return found
    return Words(tuple(words), found.writes, found.text, found.fed)


def program(word: str) -> str:
    """The program's name without its folder."""
    return word.rsplit("/", 1)[-1].rsplit("\\", 1)[-1].removesuffix(".exe")


def _without_wrapper(words: list[str]) -> list[str]:
    if not words:
        return words
    name = program(words[0])
    if (name, *words[1:2]) in _RUNNERS:
        return _after_options(words[2:], {"--with", "--from", "-p", "--env-file"})
    if name not in _ONE_ARGUMENT or len(words) == 1:
        return words
    if name == "command" and words[1] in ("-v", "-V"):
        return words
    rest = _after_options(words[1:], _ONE_ARGUMENT[name])
    while name in ("env", "sudo") and rest and _ASSIGNMENT.match(rest[0]):
        rest = rest[1:]
    return rest[1:] if name == "timeout" else rest


def _after_options(words: list[str], with_argument: set[str]) -> list[str]:
    index = 0
    while index < len(words) and words[index].startswith("-") and words[index] != "-":
        if words[index] == "--":
            return words[index + 1 :]
        index += 2 if words[index] in with_argument else 1
    return words[index:]


def _nested(found: Words) -> Iterator[str]:
    """Texts that this command would have a shell run."""
    if not found.words:
        return
    name, rest = program(found.words[0]), found.words[1:]
    if name in _SHELLS:
        yield from _for_shell(rest, found.fed)
    elif name == "eval":
        yield " ".join(rest)
    elif name == "ssh":
        yield " ".join(_after_options(list(rest), set("-p -i -l -o -F -J -L -R -D".split()))[1:])
    elif name == "find":
        for index, word in enumerate(rest):
            if word in ("-exec", "-execdir", "-ok", "-okdir"):
                yield " ".join(rest[index + 1 :])
    elif name in ("docker", "kubectl", "podman", "docker-compose") and "exec" in rest:
        after = list(rest[rest.index("exec") + 1 :])
        after = (
            after[after.index("--") + 1 :] if "--" in after else _after_options(after, {"-u"})[1:]
        )
        yield " ".join(after)


def _for_shell(rest: tuple[str, ...], fed: str) -> tuple[str, ...]:
    """What a shell started like this runs: its ``-c`` argument, or what it is fed."""
    for index, word in enumerate(rest):
        if re.fullmatch(r"-[a-z]*c[a-z]*", word):
            return rest[index + 1 : index + 2]
    return (fed,)
