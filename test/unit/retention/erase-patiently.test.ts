import test from 'ava';
import { BlobFault, type BlobFaultTag } from '../../../platform/blob-store/blob-store.ts';
import { retryErasure } from '../../../retention/erasure/erase-patiently.ts';

const NEVER = new AbortController().signal;

/** The duration and the number of tries while Blob gives this answer. */
const triesOf = async (tag: BlobFaultTag) => {
  let [tries, waited_ms] = [0, 0];
  const clock = {
    sleep: async (pause_ms: number): Promise<void> => {
      waited_ms += pause_ms;
    },
  };
  const eraseAll = async (): Promise<never> => {
    tries += 1;
    throw new BlobFault(tag, 'renders/rend_1/master.mp4', tag);
  };
  const error = await retryErasure(eraseAll, { clock, signal: NEVER, onFailure: () => undefined }).catch(
    (fault: unknown) => fault,
  );
  return { tries, waited_s: waited_ms / 1_000, error };
};

test('a refused deletion is retried for a minute, an outage for hours', async (t) => {
  const refused = await triesOf('refused');
  t.true(refused.error instanceof BlobFault);
  t.true(refused.waited_s > 30 && refused.waited_s < 90, `${refused.waited_s} s`);
  const away = await triesOf('unavailable');
  t.is(away.tries, 1_000);
  t.true(away.waited_s > 3_600, `${away.waited_s} s`);
});

test('a deletion after failures is reported', async (t) => {
  let tries = 0;
  const eraseAll = async (): Promise<string> => {
    tries += 1;
    if (tries < 30) throw new BlobFault(tries % 3 === 0 ? 'refused' : 'unavailable', 'renders/rend_1/a', 'not now');
    return 'deleted';
  };
  const clock = { sleep: async () => undefined };
  t.is(await retryErasure(eraseAll, { clock, signal: NEVER, onFailure: () => undefined }), 'deleted');
});
