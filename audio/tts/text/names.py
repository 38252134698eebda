"""Words of the trade: how single pieces of code, file endings and set phrases are said."""

from __future__ import annotations

from audio.tts.text.lists import word_set

# Pieces of identifiers that stay capitals, so that they are spelled and not read as a word.
ACRONYMS = word_set(
    "AI API ARM AST AWS BPE CD CDN CI CLI CORS CPU CSS CSV CUDA DB DNS DOM EC EOF FFT FK "
    "FPS GB GCP GPU GUI HTML HTTP HTTPS IAM ID IDE IDS IO IP IPC JPEG JS JSON JSX JVM JWT "
    "KB KV LAN LLM LLVM LRU MB MCP MD ML MP MQTT NFS NLP NPM OCR OK OOM ORM OS PDF PID PNG "
    "PR PVC QA QPS RAM RBAC REST RFC ROM RPC SDK SHA SLA SMTP SQL SRE SSD SSE SSH SSL SSO "
    "STT SVG TCP TLS TPU TS TSX TTL TTS TUI UDP UI URI URL URLS USB UTC UTF UUID UX VAD VM "
    "VPC VPN WAV WS XML XSS YAML"
)

# A piece of a path or identifier, in lower case, and what a developer says for it.
PIECES = {
    "src": "source", "usr": "user", "tmp": "temp", "cfg": "config", "txt": "text", "py": "py",
    "md": "MD", "js": "JS", "ts": "TS", "jsx": "JSX", "tsx": "TSX", "rs": "RS", "sh": "SH",
    "yml": "YAML", "yaml": "YAML", "json": "JSON", "jsonl": "JSON L", "html": "HTML",
    "htm": "HTM", "css": "CSS", "csv": "CSV", "tsv": "TSV", "xml": "XML", "svg": "SVG",
    "png": "PNG", "jpg": "JPEG", "jpeg": "JPEG", "gif": "gif", "pdf": "PDF", "ico": "ICO",
    "cpp": "CPP", "exe": "EXE", "dll": "DLL", "so": "S O", "ipynb": "notebook", "mjs": "MJS",
    "io": "io", "ai": "AI", "ml": "ML", "ui": "UI", "ux": "UX", "id": "I D", "ids": "IDs",
    "api": "API", "url": "URL", "urls": "URLs", "uri": "URI", "sql": "SQL", "cli": "CLI",
    "cpu": "CPU", "gpu": "GPU", "os": "OS", "sdk": "SDK", "ide": "IDE", "utf": "UTF",
    "ascii": "ascii", "async": "async", "auth": "auth", "regex": "regex", "etc": "etsy", "uk": "UK",
    "uuid": "UUID", "llm": "LLM", "wav": "wave", "usb": "USB", "pid": "PID", "ip": "IP",
    "ok": "OK", "sha": "SHA", "ios": "I O S", "ec": "EC", "iam": "IAM", "aws": "AWS",
    "stderr": "standard error", "stdout": "standard out", "stdin": "standard in",
    "asr": "ASR", "tts": "TTS", "vad": "VAD", "rtf": "RTF", "ci": "CI", "pr": "PR",
    "cuda": "cuda", "numpy": "numpy", "scipy": "scipy", "pypi": "pie P I", "pytest": "pytest",
}  # fmt: skip

# Mixed-case names that must not be cut at their humps.
HUMPS = {
    "PyPI": "pie P I", "NumPy": "numpy", "SciPy": "scipy", "PyTorch": "pytorch",
    "PostgreSQL": "Postgres", "MySQL": "my SQL", "SQLite": "SQL ite", "NoSQL": "no SQL",
    "macOS": "mac OS", "iOS": "I O S", "LaTeX": "latek", "GitHub": "GitHub", "GitLab": "GitLab",
    "JavaScript": "JavaScript", "TypeScript": "TypeScript", "YouTube": "YouTube",
    "OpenAI": "Open AI", "IDs": "IDs", "URLs": "URLs", "APIs": "APIs", "PRs": "PRs", "VMs": "VMs",
    "CPUs": "CPUs", "GPUs": "GPUs", "PDFs": "PDFs", "UUIDs": "UUIDs", "LLMs": "LLMs",
}  # fmt: skip

# Whole tokens. Longest match first; each must not touch another letter or digit.
SET_PHRASES = {
    "C++": "C plus plus", "C#": "C sharp", "F#": "F sharp", "g++": "G plus plus",
    ".NET": "dot net", "ASP.NET": "ASP dot net", "Node.js": "Node JS", "node.js": "node JS",
    "Next.js": "Next JS", "Vue.js": "Vue JS", "Nuxt.js": "Nuxt JS", "Three.js": "Three JS",
    "React.js": "React JS", "Express.js": "Express JS", "D3.js": "D three JS",
    "e.g.": "for example", "i.e.": "that is", "etc.": "et cetera", "etc": "et cetera",
    "vs.": "versus", "vs": "versus", "approx.": "approximately", "cf.": "compare",
    "w/": "with", "w/o": "without", "b/c": "because", "n/a": "N A", "N/A": "N A",
    "and/or": "and or", "I/O": "I O", "i/o": "I O", "A/B": "A B", "CI/CD": "CI CD",
    "TCP/IP": "TCP IP", "Mr.": "mister", "Mrs.": "missis", "Ms.": "miz", "Dr.": "doctor",
    "Prof.": "professor", "St.": "saint", "Fig.": "figure", "fig.": "figure", "Sec.": "section",
    "Eq.": "equation", "incl.": "including", "excl.": "excluding", "min.": "minimum",
    "max.": "maximum", "avg.": "average", "est.": "estimated", "a.m.": "A M", "p.m.": "P M",
    "A.M.": "A M", "P.M.": "P M", "U.S.": "U S", "U.K.": "U K", "R&D": "R and D", "Q&A": "Q and A",
    "AT&T": "AT and T", "k8s": "K eight S", "README.md": "README dot MD", "aka": "also known as",
    "a.k.a.": "also known as", "et al.": "and others", "TL;DR": "in short",
    "regexes": "regexes", "nth": "nth", "hmm": "hmm", "Hmm": "Hmm", "shh": "shh", "psst": "psst",
    "pp.": "pages", "ok": "OK", "Ok": "OK", "ID": "I D", "id": "I D", "stdout": "standard out",
    "stderr": "standard error", "stdin": "standard in",
}  # fmt: skip

# Software whose number is a version: "Python 3.11" is "three point eleven".
VERSIONED = word_set(
    "python node nodejs version ver release ubuntu debian fedora alpine macos ios android "
    "django flask fastapi numpy pandas ruby rails php java go golang rust postgres "
    "postgresql mysql redis kubernetes docker linux kernel torch pytorch tensorflow pytest "
    "chrome firefox safari windows cuda npm pip poetry ruff mypy openssl nginx react vue "
    "angular swift kotlin scala gcc clang cmake git sqlite"
)
NUMERAL_CUES = word_set(
    "Chapter Part Phase Volume Appendix Section Act Book Type Tier War Level Stage Title "
    "Article Class Grade Milestone Table Figure Henry Louis Elizabeth"
)
DUNDERS = word_set(
    "init main name file all doc call repr str eq hash len iter next enter exit getattr "
    "setattr getitem setitem new del dict class slots post_init version pycache future "
    "import builtins aenter aexit aiter anext await contains bool add tests mocks"
)
LANGUAGES = {
    "py": "Python", "python": "Python", "js": "JavaScript", "javascript": "JavaScript",
    "ts": "TypeScript", "typescript": "TypeScript", "sh": "shell", "bash": "shell",
    "zsh": "shell", "shell": "shell", "console": "shell", "json": "JSON", "yaml": "YAML",
    "yml": "YAML", "sql": "SQL", "html": "HTML", "css": "CSS", "rust": "Rust", "rs": "Rust",
    "go": "Go", "java": "Java", "c": "C", "cpp": "C plus plus", "c++": "C plus plus",
    "cs": "C sharp", "csharp": "C sharp", "diff": "diff", "toml": "TOML", "xml": "XML",
    "dockerfile": "Docker", "ruby": "Ruby", "php": "PHP", "swift": "Swift", "kotlin": "Kotlin",
}  # fmt: skip

_VOICED = frozenset("aeiouyAEIOUY")
_SOUNDS = word_set(
    "hmm shh psst pfft tsk grr brr mr mrs dr st vs nth th rd nd s t d m ll hm mm mhm zzz"
)


def spelled_out(piece: str) -> str:
    """Capitals for a lower-case piece that has no vowel and therefore is spelled: "db" -> "DB"."""
    if len(piece) > 1 and not _VOICED & set(piece) and piece.lower() not in _SOUNDS:
        return PIECES.get(piece, piece.upper())
    return piece
