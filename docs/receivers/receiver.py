"""A webhook receiver: WEBHOOK_SECRET=whsec_… PORT=8080 python3 receiver.py"""
import hashlib
import hmac
import json
import os
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Secrets, separated by a space. During a rotation there may be two.
SECRETS = os.environ.get("WEBHOOK_SECRET", "").split()
if not SECRETS:
    sys.exit("set WEBHOOK_SECRET")


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > 1 << 20:
            self.answer(413)
            self.close_connection = True
            return
        # The signature is over the bytes as they arrived: read them before anything parses them.
        body = self.rfile.read(length)
        if not genuine(self.headers, body, time.time()):
            self.answer(401)
            return
        store(self.headers["webhook-id"], body)
        self.answer(200)  # at once: the limit is 10 seconds, and only 200 counts

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


def genuine(headers, body, now):
    timestamp = headers.get("X-Service-Timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        return False
    age = now - int(timestamp)
    if age > 300 or age < -60:
        return False  # more than 5 minutes old, or more than 1 minute ahead
    sent = headers.get("X-Service-Signature", "").split(",")
    sent += headers.get("X-Service-Signature-Previous", "").split(",")
    for secret in SECRETS:
        want = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest().encode()
        if any(hmac.compare_digest(signature.strip().encode(), want) for signature in sent):  # constant time
            return True
    return False


# The inbox. In production this is a table with a unique index on the event's id, so that an event that comes twice is
# stored once, and one that was stored is processed even if this program is restarted.
seen = set()
inbox = queue.Queue()
lock = threading.Lock()


def store(event_id, body):
    with lock:
        if event_id not in seen:
            seen.add(event_id)
            inbox.put(body)


def work():
    while True:
        payload = json.loads(inbox.get())
        # Shape A has `event`, shape B has `type`.
        print("received", payload.get("event") or payload["type"], flush=True)


threading.Thread(target=work, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
