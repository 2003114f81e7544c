import { readFile } from 'node:fs/promises';

const { BASE_URL, API_KEY, FILE = '' } = process.env;
const bytes = await readFile(FILE);

const answer = await fetch(`${BASE_URL}/v1/uploads`, {
  method: 'POST',
  headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ name: 'logo.png', content_type: 'image/png', size_bytes: bytes.length }),
});
if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
const upload = Object(await answer.json());

// Write the bytes to the signed URL
const written = await fetch(upload.upload_url, {
  method: 'PUT',
  headers: { 'x-ms-blob-type': 'BlockBlob' },
  body: bytes,
});
if (!written.ok) throw new Error(`${written.status}: ${await written.text()}`);
console.log(JSON.stringify(upload));
