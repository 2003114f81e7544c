curl -sS --fail-with-body -o "$OUTPUT" -w '{"bytes": %{size_download}}\n' "$BASE_URL/v1/stills" \
  -H "Authorization: Bearer $API_KEY" \
  -H "Content-Type: application/json" \
  -d "{\"project_id\": \"$PROJECT_ID\", \"time_s\": 0.5, \"width\": 640, \"format\": \"jpeg\"}"
