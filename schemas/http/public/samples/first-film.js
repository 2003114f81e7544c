// --- project
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL, API_KEY, PROJECT_ID, TEMPLATE_ID } = process.env;

const call = async (path, options = {}) => {
  const headers = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json', ...options.headers };
  const answer = await fetch(`${BASE_URL}${path}`, { ...options, headers });
  const body = await answer.json();
  if (answer.status === 503 || answer.status === 429) {
    await sleep(1_000 * Number(answer.headers.get('Retry-After')));
    return await call(path, options);
  }
  if (!answer.ok) throw new Error(`${body.code} ${body.param ?? ''}: ${body.error}`);
  return body;
};

// The projects that your key reaches, and the templates of one of them
console.log(await call('/v1/projects'));
console.log(await call(`/v1/templates?project_id=${PROJECT_ID}`));

// --- create
// The Idempotency-Key makes it safe to send the same request again
let render = await call('/v1/renders', {
  method: 'POST',
  headers: { 'Idempotency-Key': crypto.randomUUID() },
  body: JSON.stringify({
    name: 'My first film',
    project_id: PROJECT_ID,
    template_id: TEMPLATE_ID,
    values: { headline: 'Hello' },
  }),
});

// --- poll
// Ask every two seconds, until it is complete or failed
while (render.status !== 'complete') {
  if (render.status === 'failed') throw new Error(render.failure.message);
  await sleep(2_000);
  render = await call(`/v1/renders/${render.id}`);
  console.log(render.status, render.progress ?? '');
}

// --- download
// A signed URL needs no key. It works for a limited time: read the render again for a fresh one
const film = await fetch(render.output.master);
await writeFile('film.mp4', Buffer.from(await film.arrayBuffer()));
