import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { PayloadRef } from '../../../domain/event/payload.ts';
import { type RenderRequested, SEALED_REQUEST } from '../../../domain/render/events.ts';
import { FOLD_VERSION, foldStep, SEALED_SINCE } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { TransientFault } from '../../../render-workers/preparer/preparation-fault.ts';
import { createRequestReader } from '../../../render-workers/preparer/request-reader.ts';
import { requested } from '../../helpers/render-events.ts';
import { MINUTE_MS, sealWorld } from '../platform/seals/_world.ts';
import { notCalled } from './_blobs.ts';

const VALUES = { headline: 'For Ada' };
const NO_STOP = new AbortController().signal;

const renderOf = (event: RenderRequested): Render => {
  const step = foldStep(null, event, 1);
  if (step.tag !== 'accepted') throw new Error('the request is not accepted');
  return step.render;
};

const world = async (request: PayloadRef | null = SEALED_REQUEST) => {
  const seals = sealWorld();
  const bare = requested({ fold_version: SEALED_SINCE, name: '', request });
  const event = { ...bare, sealed: await seals.seal(bare, { name: 'Ada', values: VALUES, draft: true }) };
  const found = { _id: event.render_id, event, is_erased: false, appended_at: 1, place: { partition: 0, offset: 0 } };
  const reader = (find: () => Promise<typeof found | null> = async () => found, getPayload = notCalled) =>
    createRequestReader({ blobs: { getPayload }, seals: { open: seals.open }, requests: { find } });
  return { ...seals, event, reader, render: renderOf(event) };
};

test('sealed values and draft are read from the accepted request', async (t) => {
  const { reader, render } = await world();
  t.deepEqual(await reader()(render, NO_STOP), E.right({ values: VALUES, draft: true }));
});

test('a request without values or with a payload needs no key', async (t) => {
  const none = await world(null);
  t.deepEqual(await none.reader(notCalled)(none.render, NO_STOP), E.right({ values: {}, draft: false }));
  const large = await world({ path: 'renders/rend_1/request.json', sha256: 'ab' });
  const payload = Buffer.from(JSON.stringify({ template_id: null, values: VALUES }));
  const read = createRequestReader({
    blobs: { getPayload: async () => payload },
    seals: { open: notCalled },
    requests: { find: notCalled },
  });
  t.deepEqual(await read(large.render, NO_STOP), E.right({ values: VALUES, draft: false }));
});

test('a lost key tree is our fault, a punctured leaf is an erasure', async (t) => {
  const { reader, render, event, puncture, memory } = await world();
  await puncture(event.sealed);
  t.like(await reader()(render, NO_STOP), { left: { code: 'request_erased', field: 'values' } });
  memory.contents.clear();
  t.like(await reader()(render, NO_STOP), { left: { code: 'request_missing', field: 'values', ours: true } });
});

test('the preparation is retried while Blob or the read model cannot answer', async (t) => {
  const { reader, render, memory, clock } = await world();
  const reads = [
    async () => null,
    async () => {
      throw new Error('the store is unavailable');
    },
  ];
  for (const find of reads) {
    const fault = await t.throwsAsync(reader(find)(render, NO_STOP), { instanceOf: TransientFault });
    t.is(fault?.waits_for, 'read_model');
  }
  await clock.advance(MINUTE_MS + 1);
  memory.is_away = true;
  const fault = await t.throwsAsync(reader()(render, NO_STOP), { instanceOf: BlobFault });
  t.is(fault?.tag, 'unavailable');
});

test('a render of an unknown fold version waits for a newer preparer', async (t) => {
  const { reader, render } = await world(null);
  const newer = { ...render, fold_version: FOLD_VERSION + 1 };
  t.like(await reader(notCalled)(newer, NO_STOP), { left: { waits_for: 'machine' } });
});
