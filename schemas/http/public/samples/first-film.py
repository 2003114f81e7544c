# --- project
import json
from os import environ as env
from shutil import copyfileobj
from time import sleep
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4


def call(path, body=None, headers={}):
    request = Request(
        env["BASE_URL"] + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {env['API_KEY']}",
            "Content-Type": "application/json",
            **headers,
        },
    )
    try:
        with urlopen(request) as answer:
            return json.load(answer)
    except HTTPError as fault:
        if fault.code in (429, 503):
            sleep(int(fault.headers["Retry-After"]))
            return call(path, body, headers)
        raise SystemExit(fault.read().decode())


# The projects that your key reaches, and the templates of one of them
print(call("/v1/projects"))
print(call(f"/v1/templates?project_id={env['PROJECT_ID']}"))

# --- create
# The Idempotency-Key makes it safe to send the same request again
render = call(
    "/v1/renders",
    {
        "name": "My first film",
        "project_id": env["PROJECT_ID"],
        "template_id": env["TEMPLATE_ID"],
        "values": {"headline": "Hello"},
    },
    {"Idempotency-Key": str(uuid4())},
)

# --- poll
# Ask every two seconds, until it is complete or failed
while render["status"] != "complete":
    if render["status"] == "failed":
        raise SystemExit(render["failure"]["message"])
    sleep(2)
    render = call(f"/v1/renders/{render['id']}")
    print(render["status"], render.get("progress", ""))

# --- download
# A signed URL needs no key. It works for a limited time: read the render again for a fresh one
with urlopen(render["output"]["master"]) as film, open("film.mp4", "wb") as file:
    copyfileobj(film, file)
