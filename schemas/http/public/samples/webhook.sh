# The exact bytes of the body are in body.json, and $SIGNATURE is the header X-Webhook-Signature
EXPECTED="sha256=$(openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r body.json | cut -d ' ' -f 1)"
[ "$SIGNATURE" = "$EXPECTED" ] && echo genuine
