"""The tables of records, in Markdown: plays by family of faults, and what
failed, each with a command that shows it."""

import json
import statistics
import sys

from faults import FAMILIES

CLEAN = "no fault"
# More often than this an object was made again in a loop.
FEW = 4
MEANING = {
    "end": "wrong end state",
    "foreign": "changed or deleted what another client made",
    "loop": "made an object again and again",
    "requests": "sent requests in a hot loop",
    "silence": "writes for ever",
    "ended": "does not end when told to",
    "twice": f"made an object again, {FEW} times at most",
    "play": "the play did not come to its end",
}


def load(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def family(record):
    if not record["fault"]:
        return CLEAN
    return FAMILIES.get(record["fault"]["family"],
                        record["fault"]["family"] or "one")


def sort_of(verdict):
    if verdict["invariant"] == "twice" and verdict["count"] > FEW:
        return "loop"
    return verdict["invariant"]


def cell(records):
    """Failed (and those that only made an object again, a few times) of plays;
    the seconds to the end state: median, most"""
    if not records:
        return "-"
    sorts = [set(map(sort_of, record["verdicts"])) for record in records]
    few = sum(sort == {"twice"} for sort in sorts)
    failed = sum(map(bool, sorts)) - few
    seconds = [record["seconds"] for record in records]
    return (f"{failed}" + (f" (+{few})" if few else "")
            + f" of {len(records)}; {statistics.median(seconds):.0f}, "
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
    """A row for each operator and kind of verdict, with the worst of its plays"""
    row(["operator", "what", "plays", "worst", "shown by"])
    row(["---"] * 5)
    for peer in peers:
        for sort, meaning in MEANING.items():
            found = [(one["count"], record["seconds"], one, record)
                     for record in records if record["peer"] == peer
                     for one in record["verdicts"]
                     if sort_of(one) == sort]
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
    except FileNotFoundError as error:
        print(f"t/torture/peers: {path}: {error.strerror}", file=sys.stderr)
        return 100
    except (ValueError, KeyError, TypeError) as error:
        print(f"t/torture/peers: {path}: not records of plays: {error!r}",
              file=sys.stderr)
        return 100
    return 0
