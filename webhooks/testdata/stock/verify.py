"""Reads deliveries, one JSON object a line, verifies each with the library as PyPI has it, and prints what differs."""
import base64
import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

count = 0
for line in sys.stdin:
    delivery = json.loads(line)
    try:
        Webhook(delivery["secret"]).verify(base64.b64decode(delivery["body"]), delivery["headers"])
        verified = True
    except WebhookVerificationError:
        verified = False
    count += 1
    if verified != delivery["valid"]:
        print(f"delivery {count}: verified is {verified}")
print(f"{count} checked")
