"""Checks seal.json with Python's standard library: the key tree, its file, the AES key and the additional data.

The library has no AES, so the script does not open the box. It prints the number of checks.
"""
import base64, hashlib, hmac, json, pathlib, struct

VECTORS = json.loads(pathlib.Path(__file__).with_name("seal.json").read_text())
DEPTH = 10
checks = 0


def check(found, wanted):
    global checks
    assert found == wanted, f"{found} is not {wanted}"
    checks += 1


def derive(key, depth, leaf):
    for level in range(depth + 1, DEPTH + 1):
        bit = leaf >> (DEPTH - level) & 1
        key = hmac.new(key, bytes([bit]), hashlib.sha256).digest()
    return key


def read_tree(blob):
    assert blob[:5] == b"KEYT\x01" and hashlib.sha256(blob[:-32]).digest() == blob[-32:]
    nodes = blob[9:-32]
    return [(*struct.unpack(">BH", nodes[n : n + 3]), nodes[n + 3 : n + 35]) for n in range(0, len(nodes), 35)]


root = bytes.fromhex(VECTORS["root"])
for leaf, key in VECTORS["leaves"].items():
    check(derive(root, 0, int(leaf)).hex(), key)

tree = bytes.fromhex(VECTORS["punctured_tree"])
check(struct.unpack(">I", tree[5:9])[0], VECTORS["write_counter"])
for leaf in range(2**DEPTH):
    keys = [derive(key, depth, leaf) for depth, path, key in read_tree(tree) if leaf >> (DEPTH - depth) == path]
    check(keys, [] if leaf in VECTORS["punctured_leaves"] else [derive(root, 0, leaf)])

box = VECTORS["box"]
fields = [box["type"], 1, *(box[name] for name in ("account_id", "project_id", "render_id", "tree", "leaf"))]
check(json.dumps(fields, separators=(",", ":")), box["additional_data"])
check(hmac.new(derive(root, 0, box["leaf"]), b"seal/1/RenderRequested", hashlib.sha256).hexdigest(), box["aes_key"])
sealed = base64.urlsafe_b64decode(box["box"] + "=" * (-len(box["box"]) % 4))
check(sealed[:13].hex(), "01" + box["nonce"])
check(len(sealed), 1 + 12 + 128 + 16)
print(checks)
