"""Judges the log by itself: what became of renders that were acknowledged, with a client that shares no code with us.

Usage: judge.py EVENTS_TOPIC STATUS_TOPIC; the ids of the renders, one a line, at the standard input
Environment: KAFKA_BROKERS, SCHEMA_REGISTRY_URL
Prints one line for each fault, and nothing where there is none.
"""

import pathlib
import sys
from collections import defaultdict

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples" / "analysis"))

from read_log import consumer, topic_records  # noqa: E402

LIFE = ["initializing", "ready", "queued", "processing", "finalizing", "complete"]


def short(record):
    return record["name"].rsplit(".", 1)[-1]


def judge(events_topic, status_topic, wanted):
    events = {(record["partition"], record["offset"]): record for record in topic_records(events_topic)}
    published = defaultdict(list)
    highest = defaultdict(lambda: -1)
    for record in topic_records(status_topic):
        source = record["record"]["source_offset"]
        # Repetitions are allowed, and say what the first one said.
        if source <= highest[record["partition"]]:
            continue
        highest[record["partition"]] = source
        event = events.get((record["partition"], source))
        where = f"{status_topic}/{record['partition']}/{record['offset']}"
        if event is None:
            yield f"{where} is of an event that is not in the log: {source}"
        elif event["key"] != record["key"] or short(event) != record["record"]["fact_type"]:
            yield f"{where} is not of the event at {source}"
        published[record["key"]].append(record["record"])

    requested = {event["key"] for event in events.values() if short(event) == "RenderRequested"}
    for render_id in wanted:
        if render_id not in requested:
            yield f"{render_id} was acknowledged, and is not in the log"
            continue
        states = published[render_id]
        statuses = [state["render"]["status"] for state in states]
        changes = [status for i, status in enumerate(statuses) if i == 0 or statuses[i - 1] != status]
        if changes != LIFE:
            yield f"{render_id} went through {changes}"
        types = [state["fact_type"] for state in states]
        for once in ("RenderRequested", "RenderPrepared", "RenderCompleted"):
            if types.count(once) != 1:
                yield f"{render_id} has {types.count(once)} accepted {once}"
        charged = [state["render"]["charged_credits"] for state in states]
        if any(charged[:-1]) or charged[-1:] != [states[-1]["render"]["prepared"]["price_credits"]]:
            yield f"{render_id} was charged {charged}"


try:
    for fault in judge(sys.argv[1], sys.argv[2], [line.strip() for line in sys.stdin if line.strip()]):
        print(fault)
finally:
    consumer.close()
