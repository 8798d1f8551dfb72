"""The tables of records, in Markdown: plays by family of faults, and what
failed, each with a command that shows it."""

import json
import statistics
import sys

from faults import FAMILIES

CLEAN = "no fault"
# By what it costs: the first is shown
MEANING = {
    "end": "wrong end state",
    "foreign": "changed or deleted what another client made",
    "twice": "made again what nobody deleted",
    "requests": "a hot loop of requests",
    "silence": "never silent",
    "ended": "does not end",
}


def load(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def family(record):
    if not record["fault"]:
        return CLEAN
    return FAMILIES.get(record["fault"]["family"],
                        record["fault"]["family"] or "one")


def cell(records):
    """Failed of plays, and the seconds to the end state: median, most"""
    if not records:
        return "-"
    failed = sum(bool(record["verdicts"]) for record in records)
    seconds = [record["seconds"] for record in records]
    return (f"{failed} of {len(records)}; {statistics.median(seconds):.0f}, "
            f"{max(seconds):.0f} s")


def row(cells):
    print("| " + " | ".join(cells) + " |")


def by_family(records, peers):
    titles = {record["peer"]: record["title"] for record in records}
    row(["fault", *(titles[peer] for peer in peers)])
    row(["---"] * (len(peers) + 1))
    for name in [CLEAN, *FAMILIES.values()]:
        some = [record for record in records if family(record) == name]
        if some:
            row([name, *(cell([record for record in some
                               if record["peer"] == peer])
                         for peer in peers)])
    row(["all", *(cell([record for record in records
                        if record["peer"] == peer]) for peer in peers)])
    row(["did not occur", *(
        str(sum(not record["hit"] for record in records
                if record["peer"] == peer)) for peer in peers)])
    row(["ended by itself, times", *(
        str(sum(len(record["ended"]) for record in records
                if record["peer"] == peer)) for peer in peers)])
    row(["most requests in 10 s", *(
        str(max(record["peak"] for record in records
                if record["peer"] == peer)) for peer in peers)])


def by_verdict(records, peers):
    """A row for each operator and invariant, with the worst of its plays"""
    row(["operator", "what", "plays", "worst", "shown by"])
    row(["---"] * 5)
    for peer in peers:
        for invariant, meaning in MEANING.items():
            found = [(one["count"], record["seconds"], one, record)
                     for record in records if record["peer"] == peer
                     for one in record["verdicts"]
                     if one["invariant"] == invariant]
            if not found:
                continue
            plays = {record["again"] for _, _, _, record in found}
            _, _, one, record = max(found, key=lambda it: it[:2])
            row([record["title"], meaning, str(len(plays)),
                 f"{one['object']} {one['text']} ({family(record)})",
                 f"`{record['again']}`"])


def main(path):
    try:
        records = load(path)
        peers = list(dict.fromkeys(record["peer"] for record in records))
        by_family(records, peers)
        print()
        by_verdict(records, peers)
    except OSError as error:
        print(f"t/torture/peers: {path}: {error.strerror}", file=sys.stderr)
        return 100
    except (ValueError, KeyError, TypeError) as error:
        print(f"t/torture/peers: {path}: not records of plays: {error!r}",
              file=sys.stderr)
        return 100
    return 0
