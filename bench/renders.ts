import { setTimeout as pause } from 'node:timers/promises';
import type { SeededEntities } from '../demo/seeded.ts';
import { servingRenders } from '../read-models/renders/model.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';
import { postRender } from './post-render.ts';

const COUNT = 20;
const POLL_MS = 20;
const BOUND_MS = 120_000;

export const completedAt = async (clients: StackClients, id: string, bound_ms: number) => {
  const began = Date.now();
  const renders = (await servingRenders(clients.store.db)()).renders;
  while (Date.now() - began < bound_ms) {
    const document = await renders.findOne({ _id: id, open: false });
    if (document === null) {
      await pause(POLL_MS);
      continue;
    }
    if (document.status !== 'complete') throw new Error(`render ${id} ended ${document.status}`);
    return document.facts.flatMap((stored) => (stored.verdict === 'accepted' ? [stored] : []));
  }
  throw new Error(`render ${id} was not complete within ${bound_ms} ms`);
};

const renderOnce = async (stack: Stack, seeded: SeededEntities, clients: StackClients, n: number) => {
  const posted_at = Date.now();
  const id = await postRender(stack.base_url, seeded, `Bench ${n}`);
  const events = await completedAt(clients, id, BOUND_MS);
  const finished = events.map(({ fact }) => fact).find((event) => event.type === 'RenderingFinished');
  return {
    whole_ms: (events.at(-1)?.appended_at ?? posted_at) - posted_at,
    encoder_ms: finished?.engine_ms ?? 0,
  };
};

export const benchRenders = async (
  stack: Stack,
  seeded: SeededEntities,
  clients: StackClients,
): Promise<readonly BenchmarkResult[]> => {
  const times: { readonly whole_ms: number; readonly encoder_ms: number }[] = [];
  for (let n = 1; n <= COUNT; n += 1) times.push(await renderOnce(stack, seeded, clients, n));
  const overhead = times.map(({ whole_ms, encoder_ms }) => whole_ms - encoder_ms);
  const of = (share: number): string => millisecondsText(quantile(overhead, share));
  return [
    [
      `${COUNT} renders, POST to complete, p50`,
      millisecondsText(
        quantile(
          times.map(({ whole_ms }) => whole_ms),
          0.5,
        ),
      ),
      '',
    ],
    [
      "  of that ffmpeg's own time, p50",
      millisecondsText(
        quantile(
          times.map(({ encoder_ms }) => encoder_ms),
          0.5,
        ),
      ),
      '',
    ],
    ['  the rest, p50 and p95', `${of(0.5)}, ${of(0.95)}`, 'p50 under 1,500 ms'],
  ];
};
