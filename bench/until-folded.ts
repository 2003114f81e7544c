import { servingRenders } from '../read-models/renders/model.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { pollUntil } from '../stack/testing/until.ts';

const BOUND_MS = 180_000;

/**
 * Waits until the projectors have folded the current log. It reads checkpoints, because counting documents would slow
 * the store down.
 */
export const waitUntilFolded = async ({ records, store }: StackClients, bound_ms = BOUND_MS): Promise<void> => {
  const [{ checkpoints }, ends] = await Promise.all([servingRenders(store.db)(), records.log.bounds('render-events')]);
  await pollUntil(
    'all is folded',
    async () => {
      const folded = new Map((await checkpoints.find({}).toArray()).map(({ _id, next }) => [_id, next]));
      return ends.every(({ partition, end }) => (folded.get(partition) ?? 0) >= end);
    },
    bound_ms,
  );
};
