import json
from os import environ as env
from pathlib import Path
from urllib.request import Request, urlopen

body = {
    "project_id": env["PROJECT_ID"],
    "time_s": 0.5,
    "width": 640,
    "format": "jpeg",
}
request = Request(
    f"{env['BASE_URL']}/v1/stills",
    method="POST",
    headers={
        "Authorization": f"Bearer {env['API_KEY']}",
        "Content-Type": "application/json",
    },
    data=json.dumps(body).encode(),
)
with urlopen(request) as answer:
    picture = answer.read()
Path(env["OUTPUT"]).write_bytes(picture)
print(json.dumps({"bytes": len(picture)}))
