import json
from os import environ as env
from pathlib import Path
from urllib.request import Request, urlopen

data = Path(env["FILE"]).read_bytes()

request = Request(
    f"{env['BASE_URL']}/v1/uploads",
    method="POST",
    headers={
        "Authorization": f"Bearer {env['API_KEY']}",
        "Content-Type": "application/json",
    },
    data=json.dumps(
        {"name": "logo.png", "content_type": "image/png", "size_bytes": len(data)}
    ).encode(),
)
with urlopen(request) as answer:
    upload = json.load(answer)

# Write the bytes to the signed URL
urlopen(
    Request(
        upload["upload_url"],
        method="PUT",
        headers={"x-ms-blob-type": "BlockBlob"},
        data=data,
    )
)
print(json.dumps(upload))
