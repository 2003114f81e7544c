import type { PostRequest, PostResult } from '../../platform/outbound/post-result.ts';
import type { Life } from './world/life.ts';
import type { World } from './world/world.ts';

export type Delivered = {
  readonly endpoint_id: string;
  readonly delivery_id: string;
  readonly render_id: string;
  readonly status: string;
  readonly taken: boolean;
};

const MAX_FAILURES = 3;

/** The endpoints of all customers. Each delivery fails at most three times, so that none uses up its attempts. */
export const createEndpoints = (world: World, failing: number, got: (delivered: Delivered) => void) => {
  const { random } = world;
  const failures = new Map<string, number>();

  return async (life: Life, { url, headers, body, signal }: PostRequest): Promise<PostResult> => {
    const endpoint_id = url.split('/').at(-1) ?? '';
    const delivery_id = headers['webhook-id'] ?? '';
    const began = life.clock.monotonic();
    const failed = failures.get(delivery_id) ?? 0;
    const fails = failed < MAX_FAILURES && random.chance(failing);
    if (fails) failures.set(delivery_id, failed + 1);
    const answer = life.ask(5 + random.next() * (random.chance(0.1) ? 3_000 : 100), () => {
      const { data } = JSON.parse(body.toString());
      world.trace(`${life.name} delivers ${data.id} ${data.status} to ${endpoint_id}: ${fails ? 'fails' : 'taken'}`);
      got({ endpoint_id, delivery_id, render_id: data.id, status: data.status, taken: !fails });
      return fails;
    });
    const cut = new Promise<'stopped'>((resolve) => {
      signal.addEventListener('abort', () => resolve('stopped'), { once: true });
    });
    const result = await Promise.race([answer, cut]);
    const duration_ms = Math.floor(life.clock.monotonic() - began);
    if (result === 'stopped')
      return { tag: 'failed', code: 'stopped', message: 'was cut off', status: null, duration_ms };
    if (!result) return { tag: 'answered', status: 204, retry_after: null, response: Buffer.alloc(0), duration_ms };
    return random.chance(0.5)
      ? { tag: 'answered', status: 500, retry_after: null, response: Buffer.alloc(0), duration_ms }
      : { tag: 'failed', code: 'connection_reset', message: 'was reset', status: null, duration_ms };
  };
};
