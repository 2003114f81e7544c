# If no response arrives, send the same request again with the same key: this creates only one render
IDEMPOTENCY_KEY=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

curl -sS --fail-with-body "$BASE_URL/v1/renders" \
  -H "Authorization: Bearer $API_KEY" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: $IDEMPOTENCY_KEY" \
  -d @- <<END
{
  "name": "Spring sale, Vienna",
  "project_id": "$PROJECT_ID",
  "template_id": "$TEMPLATE_ID",
  "values": { "headline": "Only this week" }
}
END
