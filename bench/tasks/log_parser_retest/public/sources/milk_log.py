"""Reads the log of a milk tanker's meter and says what each farm is paid. See log_format.md."""

PRICE, WARM_PRICE, WARM_C = 0.52, 0.44, 6.0


def join_lines(text):
    """The lines of a log, continued ones in one piece, each once."""
    lines = []
    for line in text.splitlines():
        if line.startswith("+"):
            lines[-1] += line[1:]
        elif line.strip():
            lines.append(line.strip())
    return lines


def number(text):
    """A number as tankers and trailers write it."""
    return float(text.replace(",", "."))


def celsius(text):
    """A temperature in degrees Celsius, with one decimal."""
    if text.endswith("F"):
        return round((number(text[:-1]) - 32) * 9 / 5, 1)
    return round(number(text), 1)


def net_litres(shown, air):
    """Litres of milk, from the meter's last total and the litres of air that it told of."""
    return round(shown, 1)


def read_log(text):
    """The collections in order of their first line: seq, farm, opened, litres, warmest, state."""
    day, found = None, {}
    for line in join_lines(text):
        words = line.split()
        if words[0] == "DAY":
            day = words[1]
            continue
        clock, kind = words[:2]
        fields = dict(word.split("=") for word in words[2:])
        seq = int(fields["seq"])
        if kind == "OPEN":
            found[seq] = {"seq": seq, "farm": fields["farm"], "opened": f"{day}T{clock}"}
            found[seq] |= {"shown": 0.0, "air": 0.0, "warmest": None, "state": "cut"}
        item = found[seq]
        if kind == "FLOW":
            item["warmest"] = celsius(fields["t"])
        elif kind == "AIR":
            item["air"] += number(fields["l"])
        elif kind == "CLOSE":
            item["shown"] = number(fields["l"])
            item["state"] = "ok"
        elif kind == "VOID":
            item["state"] = "void"
    return [_row(item) for item in found.values()]


def _row(item):
    counts = item["state"] in ("ok", "cut")
    litres = net_litres(item["shown"], item["air"]) if counts else 0.0
    row = {key: item[key] for key in ("seq", "farm", "opened")}
    return row | {"litres": litres, "warmest": item["warmest"], "state": item["state"]}


def farm_totals(rows):
    """By farm: how many collections count, their litres, and the pay."""
    totals = {}
    for row in rows:
        count, litres, pay = totals.get(row["farm"], (0, 0.0, 0.0))
        price = WARM_PRICE if row["warmest"] >= WARM_C else PRICE
        count += 1
        totals[row["farm"]] = (count, litres + row["litres"], pay + row["litres"] * price)
    return {farm: (n, round(litres, 1), round(pay, 2)) for farm, (n, litres, pay) in totals.items()}
