# --- project
# The projects that your key reaches, and the templates of one of them
curl -sS --fail-with-body "$BASE_URL/v1/projects" \
  -H "Authorization: Bearer $API_KEY"; echo
curl -sS --fail-with-body "$BASE_URL/v1/templates?project_id=$PROJECT_ID" \
  -H "Authorization: Bearer $API_KEY"; echo

# --- create
# The Idempotency-Key makes it safe to send the same request again
RENDER=$(curl -sS --fail-with-body --retry 5 "$BASE_URL/v1/renders" \
  -H "Authorization: Bearer $API_KEY" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" \
  -d @- <<END
{
  "name": "My first film",
  "project_id": "$PROJECT_ID",
  "template_id": "$TEMPLATE_ID",
  "values": { "headline": "Hello" }
}
END
) || { echo "$RENDER"; exit 1; }
RENDER_ID=$(echo "$RENDER" | grep -o 'rend_[0-9A-Za-z]*' | head -n 1)

# --- poll
# Ask every two seconds, until it is complete or failed
until echo "$RENDER" | grep -Eq '"status": ?"(complete|failed)"'; do
  sleep 2
  RENDER=$(curl -sS --fail-with-body --retry 10 "$BASE_URL/v1/renders/$RENDER_ID" \
    -H "Authorization: Bearer $API_KEY") || break
  echo "$RENDER"
done

# --- download
# A signed URL needs no key. It works for a limited time: read the render again for a fresh one
MASTER=$(echo "$RENDER" | grep -o '"master": *"[^"]*"' | cut -d '"' -f 4)
curl -sS --fail -o film.mp4 "$MASTER" && ls -l film.mp4
