"""What a path is for, by its name: a secret, something that is made again. Pure."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"""(?xi)
    (?:^|/)(?:
        \.env(?:\.[\w.-]+)? | \.envrc | \.ssh/[^/]+ | id_(?:rsa|ed25519|ecdsa|dsa)
      | authorized_keys | \.aws/(?:credentials|config) | \.npmrc | \.pypirc | \.netrc | \.pgpass
      | \.git-credentials | \.docker/config\.json | \.kube/config | kubeconfig
      | credentials(?:\.(?:json|ya?ml|toml|ini))?
      | secrets?(?:\.[\w-]+)?\.(?:json|ya?ml|toml|env|ini)
      | service[-_]?account[\w-]*\.json | \.htpasswd | master\.key
      | [^/]+\.(?:pem|p12|pfx|jks|keystore|key)
    )$"""
)
_EXAMPLE = re.compile(
    r"(?i)\.(?:example|sample|template|dist|defaults?|test)$|\.pub$|example|sample"
)
_THROWAWAY = re.compile(
    r"""(?x)
    (?:^|/)(?:
        node_modules | dist | build | out | target | coverage | htmlcov | __pycache__ | \.cache
      | \.pytest_cache | \.mypy_cache | \.ruff_cache | \.next | \.nuxt | \.turbo | \.parcel-cache
      | \.tox | \.nox | \.venv | venv | \.gradle | \.eggs | [^/]*\.egg-info | \.coverage | tmp
      | temp | \.DS_Store | [^/]*\.pyc | [^/]*\.log | [^/]*\.tmp | \.terraform
    )(?:/.*)?$"""
)
_OUTSIDE = re.compile(r"^(?:/(?!tmp/|var/tmp/|private/tmp/)|~|\$HOME|\.\.(?:/|$))")


def is_secret(path: str) -> bool:
    """It is where keys, passwords or tokens are kept."""
    return bool(_SECRET.search(path)) and not _EXAMPLE.search(path.rsplit("/", 1)[-1])


def is_throwaway(path: str) -> bool:
    """It is made again by the next build or test, or meant to be short-lived."""
    path = path.rstrip("/*")
    if ".." in path.split("/"):
        return False
    if re.match(r"^(?:/private)?/(?:var/)?tmp/.", path):
        return True
    return bool(_THROWAWAY.search(path)) and not path.startswith(("~", "$"))


def is_outside(path: str) -> bool:
    """It is not below the working folder, as far as its name tells."""
    return bool(_OUTSIDE.match(path))


def is_one_of(path: str, wanted: tuple[str, ...]) -> bool:
    """The path is one of these, given from any folder above them."""
    path = path.replace("\\", "/")
    return any(path == item or path.endswith("/" + item) for item in wanted)
