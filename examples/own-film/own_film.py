"""Renders a film from your own picture: python3 own_film.py PICTURE.png "A headline". Needs `requests`."""
import os, sys, time
import requests

if len(sys.argv) != 3: sys.exit(__doc__)
picture, headline = sys.argv[1:]
api = requests.Session()
api.headers["Authorization"] = f"Bearer {os.environ['API_KEY']}"

def call(method, path, **body):
    answer = api.request(method, os.environ["BASE_URL"].rstrip("/") + path, json=body or None)
    if not answer.ok: sys.exit(answer.json()["error"])
    return answer.json()

def wait(path, *ends):
    while (found := call("GET", path))["status"] not in ends: time.sleep(1)
    if found["status"] == ends[0]: return found
    sys.exit(f"{found['name']}: " + "; ".join(found.get("faults") or [found["failure"]["message"]]))

# 1. The picture
data = open(picture, "rb").read()
upload = call("POST", "/v1/uploads", name=os.path.basename(picture), content_type="image/png", size_bytes=len(data))
requests.put(upload["upload_url"], data, headers={"x-ms-blob-type": "BlockBlob"}).raise_for_status()
call("POST", f"/v1/uploads/{upload['id']}/complete")
wait(f"/v1/uploads/{upload['id']}", "ready", "refused")

# 2. The film: three seconds of the picture, with a headline that fades in
layers = [{"id": "photo", "type": "image", "asset": "photo", "fit": "cover"},
          {"id": "headline", "type": "text", "text": headline, "font_size": 90, "align": "center", "y": 500, "fade_in": 0.5}]
film = {"id": "comp_main", "width": 1280, "height": 720, "fps": 30, "duration": 3, "layers": layers}
project = {"name": headline, "main_composition_id": "comp_main", "compositions": [film],
           "assets": [{"id": "photo", "kind": "image", "upload": upload["id"]}]}
render = call("POST", "/v1/renders", name=headline, project=project)

# 3. The video
done = wait(f"/v1/renders/{render['id']}", "complete", "failed")
open("film.mp4", "wb").write(requests.get(done["output"]["master"]).content)
print("film.mp4")
