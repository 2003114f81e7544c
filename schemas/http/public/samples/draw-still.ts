import { writeFile } from 'node:fs/promises';

const { BASE_URL, API_KEY, PROJECT_ID, OUTPUT = '' } = process.env;

const answer = await fetch(`${BASE_URL}/v1/stills`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ project_id: PROJECT_ID, time_s: 0.5, width: 640, format: 'jpeg' }),
});
if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
const picture = Buffer.from(await answer.arrayBuffer());
await writeFile(OUTPUT, picture);
console.log(JSON.stringify({ bytes: picture.length }));
