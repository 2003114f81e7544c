import test from 'ava';
import { areDeleted } from '../../../cli/commands/erase-command.ts';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { renderAfter } from '../webhook-relay/_plan.ts';

const stop = new AbortController().signal;
const away = async (path: string): Promise<boolean> => {
  throw new BlobFault('unavailable', path, 'the blob store did not serve it');
};

test('files are being deleted while Blob is away: the erasure is in the log, and no fault of it', async (t) => {
  t.false(await areDeleted({ stop }, { exists: away }, renderAfter(6), 0));
});

test('files are deleted once Blob is back and has none of them', async (t) => {
  let asked = 0;
  const exists = async (path: string): Promise<boolean> => {
    asked += 1;
    return asked === 1 ? await away(path) : false;
  };
  t.true(await areDeleted({ stop }, { exists }, renderAfter(6)));
  t.true(asked > 1);
});
