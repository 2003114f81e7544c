"""Folds render-events into renders. It implements the rules independently and shares no code with the service.

Usage: fold.py [TOPIC]      (default: render-events)
Environment: KAFKA_BROKERS, SCHEMA_REGISTRY_URL
Prints one JSON line for each requested render, with its state according to the log.
"""

import json
import sys

from read_log import consumer, topic_records

STATUSES = ["initializing", "ready", "queued", "processing", "finalizing", "complete", "failed"]
FINAL = ("complete", "failed")
MAX_ATTEMPTS = 100
MAX_OUTPUTS = 32
#: The failure stage of a cancelled render, by its status.
STAGES = {
    "initializing": "preparation",
    "ready": "dispatch",
    "queued": "dispatch",
    "processing": "rendering",
    "finalizing": "storing",
}
COMPOSED = ["composition", "price_credits", "width", "height", "fps_num", "fps_den", "frames"]
REASON = ["stage", "code", "message", "field"]


class Ignored(Exception):
    """The event is not legal at its position in the log, so it has no effect."""


def members(event, names):
    return {name: event[name] for name in names}


def actor_kind(event):
    return event["meta"]["actor"].split(":", 1)[0]


def seal_key(event):
    sealed = event.get("sealed")
    return None if sealed is None else members(sealed, ["tree", "leaf"])


def created(event, at):
    return {
        "id": event["render_id"],
        **members(event, ["fold_version", "name", "account_id", "team_id", "project_id", "project_version", "template_id"]),
        "type": event["render_type"],
        "created_by": event["created_by"],
        "created_at": at,
        "updated_at": None,
        "status": "initializing",
        "seq": 1,
        **members(event, ["request", "request_hash"]),
        "sealed": seal_key(event),
        "correlation_id": event["meta"]["correlation_id"],
        "reserved_credits": event["reserved_credits"],
        "prepared": None,
        "attempts": [],
        "outputs": [],
        "poster": None,
        "charged_credits": 0,
        "failure": None,
        "erased_at": None,
    }


def move(render, status, at):
    """Statuses only move forward, and times never decrease."""
    if STATUSES.index(status) <= STATUSES.index(render["status"]):
        return
    render["updated_at"] = max(at, render["created_at"] if render["updated_at"] is None else render["updated_at"])
    render["seq"] += 1
    render["status"] = status


def open_attempt(render):
    last = render["attempts"][-1] if render["attempts"] else None
    return None if last is None or last["lost"] is not None else last


def prepare(render, event, at):
    if render["prepared"] is not None:
        raise Ignored
    render["prepared"] = members(event, COMPOSED)
    move(render, "ready", at)


def assign(render, event, at):
    attempts = render["attempts"]
    is_next = event["n"] == len(attempts) + 1 <= MAX_ATTEMPTS
    is_new = all(attempt["id"] != event["attempt_id"] for attempt in attempts)
    if render["prepared"] is None or open_attempt(render) is not None or not is_next or not is_new:
        raise Ignored
    begun = {"progressed": False, "finished": False, "lost": None}
    attempts.append({"id": event["attempt_id"], **members(event, ["n", "worker_id"]), **begun})
    move(render, "queued", at)


def own_attempt(render, event):
    attempt = open_attempt(render)
    if attempt is None or attempt["id"] != event["attempt_id"]:
        raise Ignored
    return attempt


def lose(render, event, _):
    own_attempt(render, event)["lost"] = event["reason"]


def progress(render, event, at):
    attempt = own_attempt(render, event)
    if attempt["progressed"]:
        raise Ignored
    attempt["progressed"] = True
    move(render, "processing", at)


def finish(render, event, at):
    attempt = own_attempt(render, event)
    if not attempt["progressed"] or attempt["finished"]:
        raise Ignored
    attempt["finished"] = True
    move(render, "finalizing", at)


def complete(render, event, at):
    outputs = event["outputs"]
    if not own_attempt(render, event)["finished"]:
        raise Ignored
    if not outputs or outputs[0]["variant"] != "master" or len(outputs) > MAX_OUTPUTS:
        raise Ignored
    render.update(outputs=outputs, poster=event["poster"], charged_credits=render["prepared"]["price_credits"])
    move(render, "complete", at)


def fail(render, event, at):
    by = actor_kind(event)
    attempt = open_attempt(render)
    is_cancelled = event["attempt_id"] is None and event["code"] == "cancelled" and by in ("key", "user", "operator")
    reason = members(event, REASON)
    if is_cancelled and render["fold_version"] >= 2:
        reason["stage"] = STAGES[render["status"]]
    elif event["attempt_id"] is not None:
        own_attempt(render, event)
    elif not (
        (by == "preparer" and render["status"] == "initializing") or (by == "dispatcher" and attempt is None)
    ):
        raise Ignored
    render["failure"] = reason
    move(render, "failed", at)


def erase(render, _, at):
    if render["status"] not in FINAL or render["erased_at"] is not None:
        raise Ignored
    render.update(name="", erased_at=at)


STEPS = {
    "RenderPrepared": prepare,
    "RenderAssigned": assign,
    "AttemptLost": lose,
    "RenderProgressed": progress,
    "RenderingFinished": finish,
    "RenderCompleted": complete,
    "RenderFailed": fail,
}


def step(renders, name, event, at):
    render = renders.get(event["render_id"])
    if name == "RenderRequested" and render is None:
        renders[event["render_id"]] = created(event, at)
    elif render is None:
        raise Ignored
    elif name == "RenderErased":
        erase(render, event, at)
    elif name == "RenderRequested" or render["status"] in FINAL:
        raise Ignored
    else:
        STEPS[name](render, event, at)


def fold(records):
    """Renders by id. Supports fold versions up to 4."""
    renders = {}
    for record in records:
        try:
            if record["key"] == record["record"]["render_id"]:
                step(renders, record["name"].rsplit(".", 1)[-1], record["record"], record["append_time_ms"])
        except Ignored:
            pass
    return renders


if __name__ == "__main__":
    try:
        for render in fold(topic_records(*(sys.argv[1:] or ["render-events"]))).values():
            print(json.dumps(render))
    finally:
        consumer.close()
