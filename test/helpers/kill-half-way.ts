import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { findRebuild } from '../../read-models/rebuilds.ts';
import { renderCollectionsIn } from '../../read-models/renders/model.ts';
import type { Stack } from '../../stack/launcher.ts';
import { pollUntil } from '../../stack/testing/until.ts';

const MAX_TRIES = 5;

/**
 * Kills the projectors in the middle of a rebuild of the renders. A short rebuild can end before the kill: then another
 * one is requested.
 *
 * @param rebuild requests a rebuild, and resolves once it serves
 */
export const killHalfWay = async <A>(
  stack: Stack,
  { db, client }: Pick<ReadStore, 'db' | 'client'>,
  rebuild: () => Promise<A>,
): Promise<A> => {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    let is_over = false;
    const rebuilding = rebuild().finally(() => {
      is_over = true;
    });
    rebuilding.catch(() => undefined);
    const found = await pollUntil('the rebuild is half complete, or over', async () => {
      const made = await findRebuild(db, 'renders');
      const begun = made && (await renderCollectionsIn(db, made.generation).checkpoints.findOne({ next: { $gt: 0 } }));
      return begun ? 'half made' : is_over && 'over';
    });
    if (found === 'half made') {
      stack.component('projectors').kill('SIGKILL');
      await client.db('admin').command({ killAllSessions: [] });
    }
    const rebuilt = await rebuilding;
    if (found === 'half made') return rebuilt;
  }
  throw new Error(`${MAX_TRIES} rebuilds were over before they were seen`);
};
