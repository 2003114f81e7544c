"""Checks seal.json with Python's standard library and aes_gcm.py: the key tree, its file, and the box and its text.

It prints the number of checks.
"""
import base64, hashlib, hmac, json, pathlib, struct

from aes_gcm import open_gcm

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
aes_key = hmac.new(derive(root, 0, box["leaf"]), b"seal/1/RenderRequested", hashlib.sha256).digest()
check(aes_key.hex(), box["aes_key"])
sealed = base64.urlsafe_b64decode(box["box"] + "=" * (-len(box["box"]) % 4))
version, nonce, ciphertext, tag = sealed[:1], sealed[1:13], sealed[13:-16], sealed[-16:]
check((version + nonce).hex(), "01" + box["nonce"])
additional_data = box["additional_data"].encode()
plain = open_gcm(aes_key, nonce, ciphertext, tag, additional_data)
check(len(plain), 128)
check(json.loads(plain), box["text"])
check(open_gcm(aes_key, nonce, ciphertext, tag, additional_data + b" "), None)
# Test case 14 of "The Galois/Counter Mode of Operation" (McGrew, Viega).
known = ("cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919")
check(open_gcm(bytes(32), bytes(12), *map(bytes.fromhex, known), b""), bytes(16))
print(checks)
