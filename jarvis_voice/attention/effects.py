"""Which lasting effect a command would have outside the work at hand, by its program. Pure.

The tables name what the widely used tools call their publishing, deploying, deleting, paying and
sending commands. What is not in them counts as ordinary work: a missed effect costs a question, a
false one costs the user's attention each time.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from jarvis_voice.attention.effect_code import SQL_CLIENTS, code_effect, sql_effect
from jarvis_voice.attention.effect_tables import COMMANDS, READS, Effect
from jarvis_voice.attention.paths import is_outside, is_secret, is_throwaway
from jarvis_voice.attention.shell import Words, program

Find = Callable[[tuple[str, ...]], Effect | None]

_DRY = {"--dry-run", "--dry-run=client", "--dry-run=server", "--check", "--noop", "--what-if"}
_HELP = {"--help", "--version"}
_ASKS_HELP = {("-h",), ("help",), ("-V",), ("version",)}


def effect_of(found: Words) -> Effect | None:
    """The effect of one simple command; None when it has none that is known."""
    if not found.words:
        return None
    name, rest = program(found.words[0]), found.words[1:]
    if rest in _ASKS_HELP or (_DRY | _HELP) & set(rest):
        return None
    if name.startswith("python") or name in ("node", "ruby", "perl", "php", "deno", "bun"):
        return _interpreter(name, rest, found.fed)
    named = _by_table(name, rest) if name in _PACKAGES else None
    special = _SPECIAL.get(name)
    closer = special(rest) if special and not named else None
    return named or closer or _by_table(name, rest) or _sql(name, (*rest, found.fed))


# --- the tables


def _operands(rest: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in rest if not word.startswith("-"))


_GLOBALS = frozenset(  # options before the subcommand that take the next word
    """-n --namespace --context --kubeconfig -H --host --project -a --app --profile --region -s
    --cluster -C --cwd --prefix -f --file -p --project-name --config -c --env --account""".split()
)


def _past_globals(rest: tuple[str, ...]) -> tuple[str, ...]:
    index = 0
    while index < len(rest) and rest[index].startswith("-"):
        index += 2 if rest[index] in _GLOBALS else 1
    return rest[index:]


def _by_table(name: str, rest: tuple[str, ...]) -> Effect | None:
    rest = _past_globals(rest)
    operands = _operands(rest)
    for leading, effect in COMMANDS.get(name, ()):
        if operands[: len(leading)] != leading and rest[: len(leading)] != leading:
            continue
        after = operands[len(leading) :]
        if leading and after[:1] and after[0] in READS:
            continue
        return Effect(effect.name, effect.irreversible, " ".join(after[:2])[:120])
    return None


# --- programs that need a closer look


def _git(rest: tuple[str, ...]) -> Effect | None:
    words = list(rest)
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in ("-C", "-c", "--git-dir", "--work-tree") else 1 :]
    if not words:
        return None
    sub, options = words[0], words[1:]
    if sub == "push":
        return None if "-n" in options else _push(options)
    if sub == "send-email":
        return Effect("send", target=" ".join(_operands(tuple(options)))[:120])
    if sub == "config" and any("credential" in word or "signingkey" in word for word in options):
        return Effect("credentials", False, "git")
    return Effect("delete", target="uncommitted work") if _discards(sub, options) else None


def _discards(sub: str, options: list[str]) -> bool:
    if sub == "reset":
        return "--hard" in options
    if sub == "clean":
        return any(re.fullmatch(r"--force|-[a-z]*f[a-z]*", word) for word in options)
    if sub == "branch":
        return "-D" in options
    if sub == "stash":
        return options[:1] in (["drop"], ["clear"])
    return sub in ("filter-branch", "filter-repo") or (
        sub == "reflog" and options[:1] == ["expire"]
    )


def _push(options: list[str]) -> Effect:
    operands = _operands(tuple(options))
    target = " ".join(operands[:3])[:120] or "the default remote"
    forced = any(
        word.startswith("--force")
        or word in ("--mirror", "--delete", "-d", "--prune")
        or re.fullmatch(r"-[a-z]*f[a-z]*", word)
        for word in options
    ) or any(word.startswith(("+", ":")) for word in operands[1:])
    return Effect("force_push" if forced else "git_push", target=target)


_GH_WRITES = re.compile(
    r"(pr|mr) (merge|create|close|comment|review|ready|edit|reopen|lock|approve|note|update-branch)"
    r"|issue (create|close|comment|edit|delete|reopen|transfer|lock|pin|note)"
    r"|release (create|delete|upload|edit|delete-asset)|repo (create|delete|edit|archive|rename"
    r"|fork|sync|deploy-key)|workflow (run|enable|disable)|run (rerun|cancel|delete)"
    r"|gist (create|edit|delete)|variable (set|delete)|label (create|edit|delete)"
    r"|project \S*(create|delete|edit|add)"
    r"|ruleset|cache delete|ci (run|retry|delete|trigger)"
)


def _gh(rest: tuple[str, ...]) -> Effect | None:
    operands = _operands(rest)
    if operands[:1] == ("api",):
        method = _option(rest, ("-X", "--method"))
        fields_given = any(
            word in ("-f", "-F", "--field", "--raw-field", "--input") for word in rest
        )
        wrote = method.upper() not in ("", "GET") or (not method and fields_given)
        mutates = "graphql" not in operands or any("mutation" in word for word in rest)
        return Effect("github_write", target=" ".join(operands[1:2])) if wrote and mutates else None
    if not _GH_WRITES.match(" ".join(operands[:2])):
        return None
    return Effect("github_write", target=" ".join(operands[:3])[:120])


def _option(rest: tuple[str, ...], names: tuple[str, ...]) -> str:
    """The argument of an option, also when it is glued to it or part of a cluster."""
    for index, word in enumerate(rest):
        for name in names:
            if word == name:
                return rest[index + 1] if index + 1 < len(rest) else ""
            if name.startswith("--") and word.startswith(name + "="):
                return word[len(name) + 1 :]
            short = len(name) == 2 and re.match(rf"-[A-Za-z]*{name[1]}(.*)", word)
            if short and not word.startswith("--"):
                return short[1] or (rest[index + 1] if index + 1 < len(rest) else "")
    return ""


_LOCAL = re.compile(
    r"^(?:\w+://)?(?:[^@/\s]*@)?(?:localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal)"
    r"(?:[:/?]|$)"
)
_SENDS = re.compile(
    r"hooks\.slack\.com|slack\.com/api/chat|api\.telegram\.org|discord(?:app)?\.com/api/webhooks"
    r"|api\.sendgrid\.com|api\.mailgun\.net|api\.twilio\.com|api\.postmarkapp\.com|api\.resend\.com"
    r"|graph\.facebook\.com|smtps?://|webhook\.office\.com"
)
_PAYS = re.compile(r"api\.stripe\.com/v1/(?:charges|payment|refunds|payouts|transfers)|paypal\.com")
_FORGES = re.compile(r"api\.github\.com|gitlab\.[\w.]+/api")


def http_effect(method: str, url: str) -> Effect | None:
    """What a request to this address does, by its method."""
    if method.upper() in ("", "GET", "HEAD", "OPTIONS") or _LOCAL.match(url):
        return None
    for pattern, name in ((_SENDS, "send"), (_PAYS, "spend"), (_FORGES, "github_write")):
        if pattern.search(url):
            return Effect(name, target=url[:120])
    return Effect("http_write", target=url[:120])


def _url(rest: tuple[str, ...]) -> str:
    for word in rest:
        if "://" in word and not word.startswith("-") and not word.startswith("{"):
            return word
    hosts = [
        word for word in _operands(rest) if re.match(r"^(?:localhost|[\w-]+(?:\.[\w-]+)+)", word)
    ]
    return hosts[-1] if hosts else next(iter(_operands(rest)[-1:]), "")


def _curl(rest: tuple[str, ...]) -> Effect | None:
    method = _option(rest, ("-X", "--request"))
    if not method:
        if any(re.match(r"--upload-file|-[a-zA-Z]*T", word) for word in rest):
            method = "PUT"
        elif any(_is_short_data(word) for word in rest) and not {"-G", "--get"} & set(rest):
            method = "POST"
    return http_effect(method, _url(rest))


def _is_short_data(word: str) -> bool:
    if word.startswith("--"):
        return bool(re.match(r"--(?:data|json|form)\b", word))
    # a cluster such as -sSd; letters after an option with an argument are that argument
    return bool(re.match(r"-[#0-46aBfgGiIjJkLlMnNOpqRsSvZ]*[dF]", word))


def _wget(rest: tuple[str, ...]) -> Effect | None:
    method = _option(rest, ("--method",))
    if any(word.startswith(("--post-data", "--post-file")) for word in rest):
        method = "POST"
    return http_effect(method, _url(rest))


def _httpie(rest: tuple[str, ...]) -> Effect | None:
    operands = _operands(rest)
    if operands and operands[0].isupper() and operands[0].isalpha():
        return http_effect(operands[0], " ".join(operands[1:2]))
    fields_given = any(re.match(r"[\w.\[\]-]+:?=", word) for word in operands[1:])
    return http_effect("POST" if fields_given else "", " ".join(operands[:1]))


_REMOTE = re.compile(r"^(?:[\w.-]+@)?[\w.-]+:(?!\\)|^(?:rsync|s3|gs|sftp|ftp|az)://")


def _copy(rest: tuple[str, ...]) -> Effect | None:
    operands = _operands(rest)
    if len(operands) > 1 and _REMOTE.match(operands[-1]):
        return Effect("remote_copy", target=operands[-1][:120])
    return None


def _rm(rest: tuple[str, ...]) -> Effect | None:
    lost = precious(rest)
    return Effect("delete", target=" ".join(lost)[:120]) if lost else None


def precious(rest: tuple[str, ...]) -> list[str]:
    """What ``rm`` with these words would remove that nobody makes again."""
    operands = _operands(rest)
    recursive = any(
        word in ("--recursive",) or re.fullmatch(r"-[a-zA-Z]*[rR][a-zA-Z]*", word) for word in rest
    )
    lost = [word for word in operands if not is_throwaway(word)]
    return [
        word for word in lost if recursive or is_secret(word) or is_outside(word) or _is_data(word)
    ]


def _is_data(path: str) -> bool:
    return bool(re.search(r"\.(?:db|sqlite3?|sql|dump|bak|parquet|rdb|mdb|tar|t?gz|zip)$", path))


def _find(rest: tuple[str, ...]) -> Effect | None:
    if "-delete" not in rest:
        return None
    target = next((word for word in rest if not word.startswith("-")), ".")
    return None if is_throwaway(target) else Effect("delete", target=target[:120])


def _dd(rest: tuple[str, ...]) -> Effect | None:
    target = next((word[3:] for word in rest if word.startswith("of=")), "")
    if target.startswith("/dev/") and target != "/dev/null":
        return Effect("delete", target=target[:120])
    return None


def _aws(rest: tuple[str, ...]) -> Effect | None:
    service, verb, *others = (*_operands(rest), "", "")
    target = f"{service} {verb}".strip()[:120]
    if service == "s3":
        if verb in ("rm", "rb"):
            return Effect("delete", target=" ".join(others)[:120].strip())
        return _copy(tuple(filter(None, others))) if verb in ("cp", "sync", "mv") else None
    if (service, verb) in (("ses", "send-email"), ("sesv2", "send-email"), ("sns", "publish")):
        return Effect("send", target=target)
    if verb == "create-access-key" or service in ("secretsmanager", "iam", "kms"):
        reads = verb.startswith(("get-", "list-", "describe-"))
        return None if reads else Effect("credentials", False, target)
    kinds = {
        ("delete-", "terminate-", "remove-", "purge-", "deregister-"): Effect(
            "delete", True, target
        ),
        ("create-", "run-", "purchase-", "allocate-", "register-domain"): Effect(
            "spend", True, target
        ),
        ("put-", "update-", "modify-", "deploy", "invoke", "publish-"): Effect(
            "deploy", True, target
        ),
    }
    return next((kind for begin, kind in kinds.items() if verb.startswith(begin)), None)


def _cloud(rest: tuple[str, ...]) -> Effect | None:
    """gcloud, az, doctl, hcloud: the verb stands at the end of the group."""
    operands = _operands(rest)[:5]
    target = " ".join(operands)[:120]
    for verb in operands:
        if verb in ("list", "describe", "show", "get", "info", "logs"):
            return None
        if verb in ("delete", "destroy", "rm", "purge"):
            return Effect("delete", target=target)
        if verb in ("create", "up", "resize"):
            secret = "keyvault" in operands or "secrets" in operands or "iam" in operands
            return (
                Effect("credentials", False, target) if secret else Effect("spend", target=target)
            )
        if verb in ("deploy", "update", "import", "promote", "publish"):
            return Effect("deploy", target=target)
    if operands[:2] == ("storage", "cp"):
        return _copy(operands[2:])
    return None


def _docker(rest: tuple[str, ...]) -> Effect | None:
    operands = _operands(rest)
    if "build" in operands[:2] and "--push" in rest:
        return Effect("publish", target=" ".join(operands[-1:])[:120])
    prunes = "prune" in operands[:2] or operands[:2] == ("volume", "rm")
    drops = "down" in operands[:4] and bool({"-v", "--volumes"} & set(rest))
    if prunes or drops:
        return Effect("delete", target="stored data of containers")
    return _by_table("docker", rest) if operands[:1] != ("volume",) else None


_SCRIPTS = re.compile(r"^(?:.*[:_-])?(deploy|release|publish|migrate)(?:[:_-].*)?$")


def _script(rest: tuple[str, ...]) -> Effect | None:
    """make, just, npm run: what their targets are called."""
    operands = [
        word for word in _operands(rest) if word not in ("run", "run-script") and "=" not in word
    ]
    found = _SCRIPTS.match(operands[0]) if operands else None
    if not found or any(
        mark in operands[0] for mark in ("dry", "check", "test", "preview", "plan")
    ):
        return None
    return Effect("deploy" if found[1] == "release" else found[1], target=operands[0])


def _vercel(rest: tuple[str, ...]) -> Effect | None:
    production = "--prod" in rest or "--production" in rest
    if production or not _operands(rest):
        return Effect("deploy", False, "production" if production else "a preview")
    return None


def _manage(rest: tuple[str, ...]) -> Effect | None:
    sub = next(iter(_operands(rest)), "")
    if sub in ("flush", "reset_db", "sqlflush"):
        return Effect("delete", target="the database")
    return Effect("migrate", target="the database") if sub == "migrate" else None


def _kubectl(rest: tuple[str, ...]) -> Effect | None:
    operands = _operands(rest)
    if operands[:2] == ("create", "secret"):
        return Effect("credentials", False, " ".join(operands[1:4])[:120])
    return None


def _prisma(rest: tuple[str, ...]) -> Effect | None:
    return Effect("delete", target="the database") if "reset" in rest else None


def _gpg(rest: tuple[str, ...]) -> Effect | None:
    keys = {"--import", "--export-secret-keys", "--gen-key", "--full-generate-key"}
    return Effect("credentials", False, "a key") if keys & set(rest) else None


_PACKAGES = ("npm", "pnpm", "yarn", "make", "just", "task", "bun", "rake", "gradle", "invoke", "nx")
_SPECIAL: dict[str, Find] = {
    "git": _git,
    "gh": _gh,
    "glab": _gh,
    "curl": _curl,
    "wget": _wget,
    "http": _httpie,
    "https": _httpie,
    "xh": _httpie,
    "scp": _copy,
    "rsync": _copy,
    "gsutil": lambda rest: _copy(rest) if rest[:1] in (("cp",), ("rsync",), ("mv",)) else None,
    "rm": _rm,
    "unlink": _rm,
    "find": _find,
    "dd": _dd,
    "aws": _aws,
    "gcloud": _cloud,
    "az": _cloud,
    "doctl": _cloud,
    "hcloud": _cloud,
    "docker": _docker,
    "podman": _docker,
    "docker-compose": _docker,
    "vercel": _vercel,
    "kubectl": _kubectl,
    "prisma": _prisma,
    "supabase": _prisma,
    "gpg": _gpg,
    "manage.py": _manage,
    **dict.fromkeys(_PACKAGES, _script),
}


def _sql(name: str, texts: tuple[str, ...]) -> Effect | None:
    return sql_effect("\n".join(texts)) if name in SQL_CLIENTS else None


def _interpreter(name: str, rest: tuple[str, ...], fed: str) -> Effect | None:
    if rest[:1] == ("-m",):
        return effect_of(Words(rest[1:]))
    for index, word in enumerate(rest):
        if word in ("-c", "-e", "--eval", "-r") and index + 1 < len(rest):
            return code_effect(rest[index + 1])
    script = next(iter(_operands(rest)), "")
    if program(script) == "manage.py":
        return _manage(rest[rest.index(script) + 1 :])
    if name in ("bun", "deno"):
        return _by_table(name, rest) or _script(rest)
    return code_effect(fed) if fed else None
