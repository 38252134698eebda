"""Secrets are taken out of texts at the door, before anything is kept, spoken or sent to a model.

Pure and idempotent. It knows the shapes of common keys and of ``name=value`` pairs whose name says
that the value is secret, also of options (``--password value``, ``-u name:value``); a secret
without such a shape is not found.
"""

from __future__ import annotations

import re

REDACTED = "[redacted]"

_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_TOKEN = re.compile(
    r"""\b(?:
        sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{16,}
      | (?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}
      | github_pat_[A-Za-z0-9_]{20,}
      | glpat-[A-Za-z0-9_-]{16,}
      | (?:AKIA|ASIA)[A-Z0-9]{16}
      | AIza[A-Za-z0-9_-]{30,}
      | xox[abeoprs]-[A-Za-z0-9-]{10,}
      | (?:hf|npm|pypi)[_-][A-Za-z0-9_-]{20,}
      | eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?
    )""",
    re.VERBOSE,
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+(?!\[)([A-Za-z0-9._~+/=-]{12,})")
_PAIR = re.compile(
    r"""(?ix)
    (?P<name>["']?\b[\w.-]{0,24}
        (?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key
          |auth[_-]?token|access[_-]?token|refresh[_-]?token|[_-]token|token(?=["']?\s*=)|credentials?)
    ["']?\s*[:=]\s*["']?)
    (?!\[redacted\])(?P<value>[^\s"',;&|]{4,})"""
)
_OPTION = re.compile(
    r"""(?ix)
    (?P<name>(?<!\S)--?[\w-]{0,24}(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|token)
    \s+["']?)
    (?!\[redacted\]|-)(?P<value>[^\s"',;&|]{4,})"""
)
_USER = re.compile(  # curl -u name:password; docker run -u 1000:1000 is none
    r"""(?x)
    (?P<name>(?<!\S)(?:-u|--user)[ =]?["']?[^\s:"'/]{1,80}:)
    (?!\[redacted\]|\d+(?!\S))(?P<value>[^\s"']{3,})"""
)
_URL_LOGIN = re.compile(
    r"(?i)\b([a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,80}):(?!\[redacted\])([^\s/@]+)@"
)
_HINTS = (
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "akia", "asia", "aiza"),
    *("xox", "hf_", "hf-", "npm_", "npm-", "pypi", "eyj", "bearer", "basic", "passw", "passp"),
    *("secret", "key", "token", "credential", "://", "-begin"),
    *("-u", "--user"),
)
"""One of these is in every text that holds a secret of a known shape; looking for them is cheap."""


def redact(text: str) -> str:
    """``text`` with every secret that has a known shape replaced by ``[redacted]``."""
    low = text.lower()
    for hint in _HINTS:  # a plain loop: this is done for every text of every event
        if hint in low:
            break
    else:
        return text
    text = _BLOCK.sub(REDACTED, text)
    text = _TOKEN.sub(REDACTED, text)
    text = _BEARER.sub(lambda found: f"{found[1]} {REDACTED}", text)
    text = _URL_LOGIN.sub(lambda found: f"{found[1]}:{REDACTED}@", text)
    for option in (_OPTION, _USER):
        text = option.sub(lambda found: f"{found['name']}{REDACTED}", text)
    return _PAIR.sub(lambda found: f"{found['name']}{REDACTED}", text)
