import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { type RenderRequested, SEALED_REQUEST } from '../../../domain/render/events.ts';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { createSealOpener } from '../../../platform/seals/opener.ts';
import { createSealer } from '../../../platform/seals/sealer.ts';
import { appendRequest } from '../../../render-commands/requesting/append-request.ts';
import type { RenderRequest } from '../../../schemas/http/public/render-request.ts';
import { requested } from '../../helpers/render-events.ts';
import { memoryBlobs } from '../../helpers/versioned-blobs.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const { name, project_id } = requested();
const WANTED: RenderRequest = { name, project_id, template_id: null, values: {}, draft: false };
const VALUES = { headline: 'For Ada', unknown: 'ignored' };
/** The values' JSON has 8,192 bytes. */
const SEALABLE = { a: 'b'.repeat(8_192 - 8) };
const LARGE = { a: 'b'.repeat(8_192 - 7) };

const world = (t: ExecutionContext, clock = SYSTEM_CLOCK) => {
  const steps: string[] = [];
  const payloads: unknown[] = [];
  const events: RenderRequested[] = [];
  const memory = memoryBlobs();
  const append = appendRequest({
    blobs: {
      putPayload: async (path, bytes) => {
        steps.push('stored');
        payloads.push(JSON.parse(Buffer.from(bytes).toString()));
        return { path, sha256: '0'.repeat(64) };
      },
    },
    sealer: createSealer({ blobs: memory.blobs, clock, onFailure: (error) => t.fail(String(error)) }),
    fresh_names: { note: () => new Promise(() => undefined) },
    records: {
      append: async (_topic, _key, record) => {
        steps.push(`appended after ${memory.operations.length} operations on trees`);
        if (record.type === 'RenderRequested') events.push(record);
        return E.right({ partition: 0, offset: 0, append_time_ms: 0 });
      },
    },
    clock,
  });
  const log = () => ({ warn: () => undefined }) as never;
  const request = async (fold_version: number, wanted: Partial<RenderRequest> = {}) => {
    const reservation = { confirm: () => t.fail(), release: () => steps.push('released'), markUnknown: () => t.fail() };
    const event = requested({ fold_version, name: '', request: null });
    const appended = await append({ headers: {}, log }, { wanted: { ...WANTED, ...wanted }, event, reservation });
    t.true(E.isRight(appended));
    const last = events.at(-1);
    if (last === undefined) throw new Error('nothing was appended');
    return last;
  };
  const textOf = async ({ sealed, ...event }: RenderRequested) =>
    sealed === null ? null : await createSealOpener(memory.blobs, clock).open({ ...event, sealed });
  return { steps, payloads, memory, request, textOf };
};

test('a request is appended once its name is in Blob, before its note', async (t) => {
  const { request, steps } = world(t);
  const { sealed } = await request(3);
  t.is(sealed, null);
  t.deepEqual(steps, ['stored', 'appended after 0 operations on trees']);
});

test('version 4 seals the name in the event, with one blob for many requests', async (t) => {
  const { request, textOf, steps, memory } = world(t);
  const event = await request(4);
  t.like(event, { name: '', request: null, name_sha256: null });
  t.deepEqual(await textOf(event), { state: 'open', text: { name } });
  t.false(JSON.stringify(event).includes(name));
  await request(4);
  t.is(memory.operations.filter((one) => one.startsWith('create')).length, 1);
  t.is(steps[0], 'appended after 1 operations on trees');
  t.false(steps.includes('stored'));
});

for (const [title, wanted, request_ref] of [
  ['no values', {}, null],
  ['values', { values: VALUES }, SEALED_REQUEST],
  ['values of 8 KiB', { values: SEALABLE }, SEALED_REQUEST],
  ['a draft', { draft: true }, SEALED_REQUEST],
  ['a draft with values', { draft: true, values: VALUES }, SEALED_REQUEST],
] as const)
  test(`version 4 seals a request with ${title}, so that older preparers fail`, async (t) => {
    const { request, textOf, payloads } = world(t);
    const event = await request(4, wanted);
    t.deepEqual(event.request, request_ref);
    t.deepEqual(await textOf(event), { state: 'open', text: { name, ...wanted } });
    t.deepEqual(payloads, []);
  });

test('values of more than 8 KiB are a payload, without the name', async (t) => {
  const { request, textOf, payloads } = world(t);
  const event = await request(4, { values: LARGE, draft: true });
  t.regex(event.request?.path ?? '', /^renders\//);
  t.deepEqual(payloads, [{ template_id: null, values: LARGE, draft: true }]);
  t.deepEqual(await textOf(event), { state: 'open', text: { name, draft: true } });
});

test('a request whose tree cannot be stored is not appended, and frees its reservation', async (t) => {
  const { request, memory, steps } = world(t);
  memory.is_away = true;
  await t.throwsAsync(request(4), { instanceOf: BlobFault });
  t.deepEqual(steps, ['released']);
});

test('a request does not wait longer than five seconds for its tree', async (t) => {
  const clock = virtualClock();
  const { request, memory, steps } = world(t, clock);
  const release = memory.hold('create');
  const requesting = request(4);
  await clock.advance(5_000);
  const { tag } = (await t.throwsAsync(requesting, { instanceOf: BlobFault })) ?? {};
  t.is(tag, 'unavailable');
  t.deepEqual(steps, ['released']);
  release();
});
