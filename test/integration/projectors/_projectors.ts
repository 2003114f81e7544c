import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { faultsOfRenders } from '../../helpers/faults-of-renders.ts';
import { startTestStack } from '../../helpers/test-stack.ts';

/** A test's own stack and connections to its servers. */
export type World = { readonly folder: string; readonly stack: Stack; readonly clients: StackClients };

export const startWorld = async (components: readonly string[]): Promise<World> => {
  const folder = await mkdtemp(join(tmpdir(), 'projectors '));
  const stack = await startTestStack({ own_servers: ['store'], dataDir: folder, components });
  return { folder, stack, clients: await openStackClients(stack.env) };
};

export const stopWorld = async ({ folder, stack, clients }: Partial<World>): Promise<void> => {
  await clients?.close();
  await stack?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
};

export const ids = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `rend_${name}${String(i).padStart(4, '0')}`);

export const append = async ({ records }: StackClients, event: RenderEvent): Promise<void> => {
  const appended = await records.append('render-events', event.render_id, event);
  if (E.isLeft(appended)) throw new Error(appended.left.message);
};

/** Appends the events of each render in order, and renders concurrently. */
export const appendAll = async (clients: StackClients, events: readonly RenderEvent[]): Promise<void> => {
  const byRender = Map.groupBy(events, ({ render_id }) => render_id);
  await Promise.all(
    Array.from(byRender.values(), async (own) => {
      for (const event of own) await append(clients, event);
    }),
  );
};

/** Waits until all records are folded and published, and the read model equals a fold of the log from offset 0. */
export const untilFold = async (
  { records, store }: StackClients,
  generation: number,
  bound_ms: number,
): Promise<void> => {
  let last: readonly string[] = [];
  await pollUntil(
    'the read model equals a fold of the log',
    async () => {
      last = await faultsOfRenders(records, store.db, generation);
      return last.length === 0;
    },
    bound_ms,
  ).catch((error: unknown) => {
    throw new Error(`${last.length} differences: ${JSON.stringify(last.slice(0, 5))}`, { cause: error });
  });
};
