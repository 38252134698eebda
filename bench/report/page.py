"""One HTML page that holds all it needs: no script, no font, no picture from elsewhere. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_STYLE = """\
:root{color-scheme:light dark;--ink:#1d232b;--soft:#5b6672;--line:#d5dbe1;--back:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaee;--soft:#9aa5b1;--line:#3a434d;--back:#14181d}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:860px;
margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem}p.note{color:var(--soft)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right}
th:first-child,td:first-child{text-align:left}.wide{overflow-x:auto}
svg{width:100%;height:auto;margin:.5rem 0}svg text{font:11px system-ui,sans-serif;fill:var(--ink)}
svg .grid{stroke:var(--line);stroke-width:1;fill:none}
svg .mark{stroke:var(--soft);stroke-dasharray:3 3;fill:none}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, a sentence on what is shown, and the parts: HTML from this module or ``svg``."""

    title: str
    note: str = ""
    parts: Sequence[str] = ()


def page(title: str, note: str, sections: Sequence[Section]) -> str:
    """The whole document."""
    body = [f"<h1>{escape(title)}</h1>", paragraph(note)]
    for section in sections:
        body.append(f"<h2>{escape(section.title)}</h2>")
        body.append(paragraph(section.note))
        body += section.parts
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body></html>\n"
    )


def paragraph(words: str) -> str:
    """A remark; nothing when there are no words."""
    return f'<p class="note">{escape(words)}</p>' if words else ""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the first column is the name of its row."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{whole}</div>'


def facts(values: Mapping[str, object]) -> str:
    """Names and values, one a row."""
    return table(("", ""), [(name, str(value)) for name, value in values.items()])
