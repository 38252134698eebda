"""What queries and program texts do that a command hands to an interpreter. Pure."""

from __future__ import annotations

import re

from jarvis_voice.attention.effect_tables import Effect

SQL_CLIENTS = frozenset(
    "psql mysql mariadb sqlite3 sqlcmd clickhouse-client duckdb bq snowsql mongosh mongo".split()
)
_SQL_DROPS = re.compile(
    r"\b(?:drop\s+(?:table|database|schema|column|index|view|user)|truncate\s+(?:table\s+)?\w"
    r"|delete\s+from\s+[\w.\"`]+\s*(?:;|$|[\"'])|alter\s+table\s+\S+\s+drop)"
    r"|\.dropDatabase\(|\.drop\(\)|\.deleteMany\(\s*\{\s*\}",
    re.IGNORECASE,
)
_SQL_CHANGES = re.compile(
    r"\b(?:insert\s+into|update\s+\S+\s+set|delete\s+from|alter\s+table|grant\s+\w)"
    r"|\.(?:insert|update|delete)(?:One|Many)\(",
    re.IGNORECASE,
)


def sql_effect(text: str) -> Effect | None:
    """What a query does to what is stored."""
    dropped = _SQL_DROPS.search(text)
    if dropped:
        return Effect("delete", target=text[dropped.start() : dropped.start() + 60].split(";")[0])
    changed = _SQL_CHANGES.search(text)
    if changed:
        return Effect("migrate", target=text[changed.start() : changed.start() + 60].split(";")[0])
    return None


_CODE = (
    (re.compile(r"\bshutil\.rmtree\(|\brmSync\(|\bfs\.rm\(|FileUtils\.rm_rf"), "delete"),
    (
        re.compile(r"\b(?:requests|httpx|session|client|axios)\.(?:post|put|patch|delete)\("),
        "http_write",
    ),
    (re.compile(r"\bmethod\s*[:=]\s*['\"](?:POST|PUT|PATCH|DELETE)['\"]"), "http_write"),
    (re.compile(r"\bsmtplib\.|\.send_message\(|\.sendMail\("), "send"),
    (re.compile(r"['\"]git['\"],\s*['\"]push['\"]|\bgit push\b"), "git_push"),
)


def code_effect(code: str) -> Effect | None:
    """What program text plainly does; only for code that is run, not for code that is written."""
    for pattern, name in _CODE:
        found = pattern.search(code)
        if found and not (name == "http_write" and re.search(r"localhost|127\.0\.0\.1", code)):
            return Effect(name, target=code[found.start() : found.start() + 60].split("\n")[0])
    return sql_effect(code) if re.search(r"\.execute\(|\.query\(", code) else None
