# Ask every two seconds, until it is complete or failed
until
  RENDER=$(curl -sS --fail-with-body --retry 10 "$BASE_URL/v1/renders/$RENDER_ID" \
    -H "Authorization: Bearer $API_KEY") || break
  echo "$RENDER" | grep -Eq '"status": ?"(complete|failed)"'
do
  sleep 2
done
echo "$RENDER"
