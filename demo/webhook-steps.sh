# Create an endpoint for the team, and start a receiver on this machine that checks every signature
WEBHOOK=$(./renderctl webhook create "$TEAM_ID" https://localhost:9443/hooks --all-events --json)
ENDPOINT_ID=$(echo "$WEBHOOK" | grep -o 'whe_[0-9A-Za-z]*' | head -n 1)
export WEBHOOK_SECRET=$(echo "$WEBHOOK" | grep -o 'whsec_[^"]*')
export TLS_CERT=.local/data/tls/localhost.pem TLS_KEY=.local/data/tls/localhost.key
python3 examples/webhook-receiver/receiver.py &

# Send a test delivery and show its result; changes of the team's renders are delivered too
./renderctl webhook test "$ENDPOINT_ID"
./renderctl webhook deliveries "$ENDPOINT_ID"

# Delete the endpoint and stop the receiver
./renderctl webhook delete "$ENDPOINT_ID" && kill $!
