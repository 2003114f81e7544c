import test from 'ava';
import type { Collection } from 'mongodb';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { watchCheckpoints } from '../../../projectors/checkpoint/watch-checkpoints.ts';
import type { CheckpointDocument } from '../../../read-models/checkpoint.ts';

/** What a look at a store with one checkpoint comes to; null where it ends nothing. */
const lookAt = async (serves: boolean): Promise<string | null> => {
  let look: () => void = () => undefined;
  const checkpoints = { collectionName: 'checkpoints', find: () => ({ toArray: async () => [{ _id: 0, next: 0 }] }) };
  const watching = watchCheckpoints(
    checkpoints as unknown as Collection<CheckpointDocument>,
    () => new Map([[0, { committed: () => 0, reopen: () => undefined }]]),
    async () => serves,
    createLogger('test', 'silent'),
    {
      ...SYSTEM_CLOCK,
      every: (_ms, run) => {
        look = run;
        return () => undefined;
      },
    },
  );
  look();
  return await watching.stop().then(
    () => null,
    (error: Error) => error.name,
  );
};

test('a projector ends where no generation serves, though its checkpoint is there: the store was lost before it', async (t) => {
  t.is(await lookAt(true), null);
  t.is(await lookAt(false), 'StoreLost');
});
