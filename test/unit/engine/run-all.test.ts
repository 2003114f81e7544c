import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { runAll } from '../../../engine/process/run-all.ts';
import { limitsOf } from '../../helpers/sandbox.ts';

const limits = () => limitsOf(20_000);

test('a task that throws ends the others before the call returns', async (t) => {
  let over = false;
  const done = await runAll(
    [
      async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await new Promise((resolve) => setImmediate(resolve));
        over = true;
        return E.left({ tag: 'cancelled' });
      },
      async () => {
        throw new Error('ENOSPC: no space left on device');
      },
    ],
    2,
    limits,
  );
  t.deepEqual(done, E.left({ tag: 'infrastructure', message: 'ENOSPC: no space left on device' }));
  t.true(over);
});
