import hmac
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from os import environ as env


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        digest = hmac.new(env["WEBHOOK_SECRET"].encode(), body, "sha256").hexdigest()
        given = self.headers.get("X-Webhook-Signature", "")
        is_genuine = hmac.compare_digest(given.encode(), f"sha256={digest}".encode())
        # Answer at once, and work later: a delivery without an answer in 15 seconds is sent again
        self.send_response(204 if is_genuine else 401)
        self.end_headers()
        if is_genuine:
            delivery = json.loads(body)
            print(delivery["event"], delivery["data"]["id"], delivery["data"]["status"], flush=True)


HTTPServer(("", int(env.get("PORT", "8000"))), Receiver).serve_forever()
