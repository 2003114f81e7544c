import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL, API_KEY, RENDER_ID } = process.env;

// Ask every two seconds, until it is complete or failed
for (;;) {
  const answer = await fetch(`${BASE_URL}/v1/renders/${RENDER_ID}`, {
    headers: { Authorization: `Bearer ${API_KEY}` },
  });
  if (answer.ok) {
    const render = (await answer.json()) as { status: string };
    console.log(JSON.stringify(render));
    if (render.status === 'complete' || render.status === 'failed') break;
  } else if (answer.status !== 503) {
    throw new Error(`${answer.status}: ${await answer.text()}`);
  }
  await sleep(2_000);
}
