"""An agent that tells Jarvis what it does; ``jarvis watch --once --file events.jsonl`` shows it."""

import json
from datetime import UTC, datetime
from pathlib import Path


def tell(kind, **facts):
    at = datetime.now(UTC).isoformat()
    event = {"schema": "jarvis.event/v1", "run": "nightly-1", "type": kind, "at": at}
    with Path("events.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(event | facts) + "\n")


tell("started", runtime="nightly", title="Nightly report", goal="Write the nightly report")
tell(
    "plan", steps=[{"text": "collect", "state": "completed"}, {"text": "send", "state": "pending"}]
)
tell("tool", call="c1", tool="shell", command="make report > out/report.txt")
tell("finished", call="c1", ok=True, output="42 rows")
tell("said", text="The report is written; two numbers look odd.")
tell("waiting", text="Shall I send it although two numbers look odd?")
