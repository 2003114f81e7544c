SIZE=$(wc -c <"$FILE" | tr -d ' ')

UPLOAD=$(curl -sS --fail-with-body "$BASE_URL/v1/uploads" \
  -H "Authorization: Bearer $API_KEY" \
  -H "Content-Type: application/json" \
  -d "{\"name\": \"logo.png\", \"content_type\": \"image/png\", \"size_bytes\": $SIZE}")
echo "$UPLOAD"

# Write the bytes to the signed URL
curl -sS --fail-with-body -T "$FILE" -H "x-ms-blob-type: BlockBlob" \
  "$(echo "$UPLOAD" | sed 's/.*"upload_url":"\([^"]*\)".*/\1/')"
