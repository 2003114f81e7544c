import { Writable } from 'node:stream';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { checkFilesDeleted, waitUntilEnded } from '../../../cli/commands/erase-command.ts';
import { renderId } from '../../../domain/render/render-id.ts';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { encodeKeyTree, KEY_BYTES, newTree, puncture } from '../../../schemas/seal/key-tree.ts';
import { renderAfter } from '../webhook-relay/_plan.ts';

const stop = new AbortController().signal;
const away = async (path: string): Promise<never> => {
  throw new BlobFault('unavailable', path, 'the blob store did not serve it');
};

test('an erasure is appended to the log and succeeds while Blob is unavailable', async (t) => {
  t.false(await checkFilesDeleted({ stop }, { blobs: { exists: away }, key_blobs: { read: away } }, renderAfter(6), 0));
});

test('files are deleted once Blob is available again', async (t) => {
  let asked = 0;
  const exists = async (path: string): Promise<boolean> => {
    asked += 1;
    return asked === 1 ? await away(path) : false;
  };
  t.true(await checkFilesDeleted({ stop }, { blobs: { exists }, key_blobs: { read: away } }, renderAfter(6)));
  t.true(asked > 1);
});

test('a sealed text is deleted only when no key of it is left', async (t) => {
  const sealed = { tree: '01JD0000000000000000000000', leaf: 7 };
  const render = { ...renderAfter(6), sealed };
  const whole = newTree(Buffer.alloc(KEY_BYTES, 1));
  const areDeletedWith = (bytes: Buffer | null): Promise<boolean> =>
    checkFilesDeleted(
      { stop },
      {
        blobs: { exists: async () => false },
        key_blobs: { read: async () => (bytes === null ? null : { bytes, version: '1' }) },
      },
      render,
      0,
    );
  t.false(await areDeletedWith(encodeKeyTree(whole)));
  t.false(await areDeletedWith(encodeKeyTree(puncture(whole, [6, 8]))));
  t.true(await areDeletedWith(encodeKeyTree(puncture(whole, [7]))));
  t.true(await areDeletedWith(null));
  t.false(await areDeletedWith(encodeKeyTree(puncture(whole, [7])).subarray(1)), 'a corrupt tree may have the key');
});

test('renderctl waits for an unknown render only if its id is new', async (t) => {
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const render = renderAfter(6);
  for (const [what, age_ms, is_waited_for] of [
    ['just now', 0, true],
    ['by a clock that is ahead', -3_000, true],
    ['long ago', 60_000, false],
  ] as const) {
    let asked = 0;
    const renders = async () => {
      asked += 1;
      return asked === 1 ? null : { render, name_in_log: false };
    };
    const id = renderId(mintUlid(Date.now() - age_ms));
    t.deepEqual(
      await waitUntilEnded({ stderr, stop }, renders, SYSTEM_CLOCK, id),
      E.right(is_waited_for ? render : null),
      what,
    );
  }
});
