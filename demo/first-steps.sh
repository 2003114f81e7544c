# The project, and the fields of its template
./renderctl project show "$PROJECT_ID"

# A render with values of your own; its id
RENDER_ID=$(curl -s "$BASE_URL/v1/renders" -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -d '{"name": "My first render", "project_id": "'"$PROJECT_ID"'", "template_id": "'"$TEMPLATE_ID"'",
       "values": {"headline": "Hello from curl", "accent": "#7AC74F"}}' | grep -o 'rend_[0-9A-Za-z]*' | head -n 1)
echo "$RENDER_ID"

# Wait until it is complete, then save the video
./renderctl render watch "$RENDER_ID"
MASTER_URL=$(curl -s "$BASE_URL/v1/renders/$RENDER_ID" -H "Authorization: Bearer $API_KEY" | grep -o '"master":"[^"]*"' | cut -d '"' -f 4)
mkdir -p out && curl -s -o out/my-first-render.mp4 "$MASTER_URL" && ls -l out/my-first-render.mp4

# The project's renders with a word that begins like this, the best match first
curl -s "$BASE_URL/v1/renders?project_id=$PROJECT_ID&search=fir&limit=5" -H "Authorization: Bearer $API_KEY" && echo

# Who did what, when, as the log has it
./renderctl trace "$RENDER_ID"
