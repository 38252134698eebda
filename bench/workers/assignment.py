"""What an agent runtime is asked to do: the brief of a task, and what is agreed about the work.

The same words with and without Jarvis. That a call may be refused with what the user has decided is
said in both, as a chat worker is told too; nothing says that anybody can be asked.
"""

from __future__ import annotations

from bench.suite.bundle import Bundle

_CONTRACT = """\
The working folder is a private copy of the materials: look at them, do not guess. Deliver only \
the files named below, under results/; public files are put back when they are changed. The output \
contract and the result schema are public and binding. Work on until every result is written: \
nobody will tell you to go on.

The person who gave the brief cannot be reached. Where something is missing that is theirs to say \
(a preference, a permission, a fact that only they know), take the most sensible choice that can \
be undone, write it down as an assumption, and go on. It can happen that a call is refused, or \
that what it wrote is taken back, with what that person has decided meanwhile: that is true, and \
what depends on it is to be done again."""

_PROJECT = """\
The work has {count} workstreams. If you have a tool that starts agents of your own, hand each \
workstream to one of them, at the same time, with its text below word for word and the agreement \
above; else do them yourself, one after the other. What a workstream delivers lies below \
results/<its name>/. When all are done, look at what is really there, reconcile what does not fit, \
and write what is the project's."""


def assignment(bundle: Bundle) -> str:
    """The prompt for the one session that does the whole task."""
    episode = bundle.manifest.episode
    parts = [episode.brief, _CONTRACT, f"Results to write: {', '.join(episode.result_paths)}."]
    if bundle.workstreams:
        parts.append(_PROJECT.format(count=len(bundle.workstreams)))
        parts += [
            f"Workstream {stream.id} ({stream.label}):\n{stream.brief}"
            for stream in bundle.workstreams
        ]
    return "\n\n".join(parts)
