"""Rates the deck panels of the footbridge. A draft: it was never run on the readings of gauge U2."""

import csv
import sys

REPLACE_AT, WATCH_AT = 25.0, 12.0


def in_mm(thickness, unit):
    """The thickness in millimetres."""
    return float(thickness)


def valid(rows):
    """The readings that count."""
    return [row for row in rows if row["thickness"]]


def remaining(values):
    """Remaining thickness of a panel from its valid readings in millimetres."""
    return sum(values) / len(values)


def rating(loss):
    """What a loss in percent means for the panel."""
    if loss > REPLACE_AT:
        return "replace"
    if loss > WATCH_AT:
        return "watch"
    return "ok"


def rate(panels, readings):
    """One row for each panel."""
    rows = []
    for panel in panels:
        mine = [row for row in valid(readings) if row["panel"] == panel["panel"]]
        values = [in_mm(row["thickness"], row["unit"]) for row in mine]
        left = remaining(values)
        nominal = float(panel["nominal_mm"])
        loss = 100 * (nominal - left) / nominal
        rows.append([panel["panel"], len(values), f"{left:.2f}", f"{loss:.1f}", rating(loss)])
    return rows


def main(readings_path, panels_path, out_path):
    with open(readings_path, newline="") as file:
        readings = list(csv.DictReader(file))
    with open(panels_path, newline="") as file:
        panels = list(csv.DictReader(file))
    with open(out_path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["panel", "readings_used", "remaining_mm", "loss_pct", "rating"])
        writer.writerows(rate(panels, readings))


if __name__ == "__main__":
    main(*sys.argv[1:4])
