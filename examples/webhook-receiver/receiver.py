"""A webhook receiver in one file, with Python 3.9 or later and no libraries:

    WEBHOOK_SECRET=whsec_… TLS_CERT=cert.pem TLS_KEY=key.pem python3 receiver.py

PORT is 9443 by default. During a rotation of the endpoint's secret, WEBHOOK_SECRET may contain both secrets, separated
by a space. Without TLS_CERT and TLS_KEY it uses plain HTTP, behind a proxy that terminates TLS.
"""

import base64
import hashlib
import hmac
import json
import os
import queue
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def is_signed(body, headers, secret):
    """X-Webhook-Signature: over the exact bytes of the body, keyed with the whole text of the secret."""
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    # The time of the comparison must not depend on the expected value.
    return hmac.compare_digest(headers.get("X-Webhook-Signature", "").encode(), expected.encode())


# An older or newer signature may be a replayed request.
MAX_AGE_S = 5 * 60


def is_signed_by_standard(body, headers, secret, now_s):
    """Standard Webhooks: over the id, the time of this attempt and the body, keyed with the bytes in the secret."""
    delivery_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(now_s - int(timestamp)) > MAX_AGE_S:
        return False
    key = base64.b64decode(secret[len("whsec_") :])
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # During a rotation there are two signatures, one for each secret.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any([hmac.compare_digest(one, expected) for one in given])


def is_genuine(body, headers, secrets, now_s):
    """Whether the service sent these exact bytes. One valid signature would be enough; this example requires both."""
    return any([is_signed(body, headers, secret) for secret in secrets]) and any(
        [is_signed_by_standard(body, headers, secret, now_s) for secret in secrets]
    )


# The received deliveries, and the progress of each render. Use your database instead: store a delivery by its id before
# you respond. Then a crash does not lose it, and a repeat does not process it twice.
taken, reached = {}, {}
taking = threading.Lock()
waiting = queue.Queue()
MAX_KEPT = 100_000


def keep(kept, key, value):
    kept[key] = value
    if len(kept) > MAX_KEPT:
        del kept[next(iter(kept))]


def is_new(delivery):
    """False for a repeat: the same delivery may arrive again, with the same id and the same bytes."""
    with taking:
        if delivery["id"] in taken:
            return False
        keep(taken, delivery["id"], delivery["timestamp"])
        return True


def tell(what, delivery):
    print(what, delivery["event"], delivery["data"]["id"], delivery["data"]["status"], flush=True)


STATUSES = ["initializing", "ready", "queued", "processing", "finalizing", "complete", "failed"]


def work_for_ever():
    """The long work, after the response. Statuses only move forward, but a retry may arrive after a later event."""
    while True:
        delivery = waiting.get()
        render = delivery["data"]
        rank = STATUSES.index(render["status"])
        is_late = rank < reached.get(render["id"], -1)
        if not is_late:
            keep(reached, render["id"], rank)
        tell("late" if is_late else "new", delivery)


MAX_BYTES = 1024 * 1024
SECRETS = os.environ.get("WEBHOOK_SECRET", "").split()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Needed for keep-alive connections.
    # Longer than the service keeps an idle connection.
    timeout = 75

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return self.answer(411)
        if int(length) > MAX_BYTES:
            return self.answer(413)
        body = self.rfile.read(int(length))
        # Verify before parsing: the signature is over the raw bytes.
        if not is_genuine(body, self.headers, SECRETS, time.time()):
            return self.answer(401)
        delivery = json.loads(body)
        if is_new(delivery):
            waiting.put(delivery)
        else:
            tell("again", delivery)
        self.answer(204)

    def answer(self, status):
        self.close_connection = self.close_connection or status in (411, 413)
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        print("fault", sys.exc_info()[1], file=sys.stderr, flush=True)


def serve():
    if not SECRETS or not all(secret.startswith("whsec_") for secret in SECRETS):
        sys.exit("WEBHOOK_SECRET must hold the secret of the endpoint: whsec_…")
    port = int(os.environ.get("PORT", "9443"))
    server = Server(("127.0.0.1", port), Receiver)
    cert, key = os.environ.get("TLS_CERT"), os.environ.get("TLS_KEY")
    if cert and key:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(cert, key)
        # The connection's own thread does the handshake, so a slow client does not block others.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=work_for_ever, daemon=True).start()
    print(f"listening at {'https' if cert and key else 'http'}://127.0.0.1:{port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    try:
        serve()
    except KeyboardInterrupt:
        pass
