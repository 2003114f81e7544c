const { BASE_URL, API_KEY, PROJECT_ID, TEMPLATE_ID } = process.env;

// If no response arrives, send the same request again with the same key: this creates only one render
const idempotencyKey = crypto.randomUUID();

const answer = await fetch(`${BASE_URL}/v1/renders`, {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${API_KEY}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': idempotencyKey,
  },
  body: JSON.stringify({
    name: 'Spring sale, Vienna',
    project_id: PROJECT_ID,
    template_id: TEMPLATE_ID,
    values: { headline: 'Only this week' },
  }),
});
if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
console.log(JSON.stringify(await answer.json()));

export {};
