"""Converts the old table of payments to the new one. A draft that was tried on euros of one shop."""

import csv
import json
import sys
from datetime import datetime, timezone


def created_utc(text):
    """A time of the old table as the new one writes it."""
    if text.isdigit():
        moment = datetime.fromtimestamp(int(text), timezone.utc)
    else:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def minor(amount, style, digits):
    """An amount in the smallest unit, without a sign."""
    plain = amount.replace(",", "")
    return int(float(plain) * 100)


def converted(row, digits):
    """A row of the new table."""
    value = minor(row["amount"], row["format"], digits[row["currency"]])
    if row["kind"] == "refund":
        value = -value
    return [row["id"], created_utc(row["created"]), row["merchant"], row["currency"], value]


def wanted(rows):
    """The rows that are converted, in their order."""
    return [row for row in rows if row["state"] != "void"]


def main(payments_path, currencies_path, out_path):
    with open(payments_path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(currencies_path, encoding="utf-8") as file:
        digits = json.load(file)["minor_digits"]
    with open(out_path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "created_utc", "merchant", "currency", "minor"])
        writer.writerows(converted(row, digits) for row in wanted(rows))


if __name__ == "__main__":
    main(*sys.argv[1:4])
