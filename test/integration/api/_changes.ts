import { pollUntil } from '../../../stack/testing/until.ts';
import { type Answer, bearer, send, untilServed } from './_client.ts';
import type { World } from './_world.ts';

/** Posts to the command API. Waits while the account has made too many changes. */
export const postChange = async (
  { stack }: World,
  key: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const url = `${stack.component('command-api').url}/v1/${path}`;
  const sent = { ...bearer(key), 'Content-Type': 'application/json', ...headers };
  return await pollUntil('the request is not limited', async () => {
    const answer = await untilServed(() => send(url, { method: 'POST', body: JSON.stringify(body), headers: sent }));
    return answer.status === 429 ? null : answer;
  });
};
