import json
from os import environ as env
from time import sleep
from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    f"{env['BASE_URL']}/v1/renders/{env['RENDER_ID']}",
    headers={"Authorization": f"Bearer {env['API_KEY']}"},
)

# Ask every two seconds, until it is complete or failed
while True:
    try:
        with urlopen(request) as answer:
            render = json.load(answer)
        print(json.dumps(render))
        if render["status"] in ("complete", "failed"):
            break
    except HTTPError as fault:
        if fault.code != 503:
            raise
    sleep(2)
