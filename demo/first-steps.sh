# Show the project and the fields of its template
./renderctl project show "$PROJECT_ID"

# Create a render with your own values, and keep its ID
RENDER_ID=$(curl -s "$BASE_URL/v1/renders" -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \
  -d '{"name": "My first render", "project_id": "'"$PROJECT_ID"'", "template_id": "'"$TEMPLATE_ID"'",
       "values": {"headline": "Hello from curl", "accent": "#7AC74F"}}' | grep -o 'rend_[0-9A-Za-z]*' | head -n 1)
echo "$RENDER_ID"

# Wait until the render is complete, then save the video
./renderctl render watch "$RENDER_ID"
MASTER_URL=$(curl -s "$BASE_URL/v1/renders/$RENDER_ID" -H "Authorization: Bearer $API_KEY" | grep -o '"master":"[^"]*"' | cut -d '"' -f 4)
mkdir -p out && curl -s -o out/my-first-render.mp4 "$MASTER_URL" && ls -l out/my-first-render.mp4

# Search the project's renders by the beginning of a word, best match first
curl -s "$BASE_URL/v1/renders?project_id=$PROJECT_ID&search=fir&limit=5" -H "Authorization: Bearer $API_KEY" && echo

# Show who did what and when, from the log
./renderctl trace "$RENDER_ID"
