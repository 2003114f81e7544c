import json
from os import environ as env
from urllib.request import Request, urlopen
from uuid import uuid4

# If no response arrives, send the same request again with the same key: this creates only one render
idempotency_key = str(uuid4())

request = Request(
    f"{env['BASE_URL']}/v1/renders",
    method="POST",
    headers={
        "Authorization": f"Bearer {env['API_KEY']}",
        "Content-Type": "application/json",
        "Idempotency-Key": idempotency_key,
    },
    data=json.dumps(
        {
            "name": "Spring sale, Vienna",
            "project_id": env["PROJECT_ID"],
            "template_id": env["TEMPLATE_ID"],
            "values": {"headline": "Only this week"},
        }
    ).encode(),
)
with urlopen(request) as answer:
    print(json.dumps(json.load(answer)))
