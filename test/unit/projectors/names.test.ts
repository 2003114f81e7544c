import test from 'ava';
import type { PayloadRef } from '../../../domain/event/payload.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import type { SealOpener } from '../../../platform/seals/opener.ts';
import { createTextWait } from '../../../projectors/payload-reads.ts';
import { type Documents, foldBatch } from '../../../projectors/render/fold-batch.ts';
import { type LookUpKnownNames, openRequestNames } from '../../../projectors/render/names.ts';
import { nameOf, renderWithName } from '../../../read-models/renders/documents.ts';
import { nameHash, type SaltedName, saltedName } from '../../../schemas/blobs/salted-name.ts';
import { batchEntries } from '../../helpers/batch-entries.ts';
import {
  assigned,
  completed,
  erased,
  finished,
  prepared,
  progressed,
  RENDER_ID,
  requested,
} from '../../helpers/render-events.ts';

const NAME = 'For Ada Lovelace';
const SALTED = saltedName(NAME);
const NONE: LookUpKnownNames = async () => new Map();
const NO_STOP = new AbortController().signal;

const outside = requested({ fold_version: 3, name: '', name_sha256: nameHash(SALTED) });
const REST = [
  prepared,
  assigned('att_1', 1),
  progressed('att_1'),
  finished('att_1'),
  completed('att_1'),
] satisfies readonly RenderEvent[];

const payloadOf = ({ name, salt: name_salt }: SaltedName): Buffer =>
  Buffer.from(JSON.stringify({ template_id: null, values: {}, name, name_salt }));

const CLOCK: Clock = { ...SYSTEM_CLOCK, sleep: async (_ms, signal) => signal?.throwIfAborted() };
const ignore = (): void => undefined;

const NO_SEALS: SealOpener = { open: () => Promise.reject(new Error('no name is sealed')) };

const namesOf = (getPayload: (ref: PayloadRef) => Promise<Buffer>, known = NONE, onCorrupt = ignore) =>
  openRequestNames({
    ...{
      blobs: { getPayload },
      seals: NO_SEALS,
      onLost: ignore,
      servingName: null,
      known,
      logger: createLogger('test', 'silent'),
      clock: CLOCK,
      onCorrupt,
    },
    waitOf: () => createTextWait(CLOCK, async () => 0),
  });

const documentOf = async (
  entries: readonly BatchEntry<RenderEvent>[],
  getPayload: (ref: PayloadRef) => Promise<Buffer>,
  known = NONE,
  onCorrupt = ignore,
) => {
  const names = namesOf(getPayload, known, onCorrupt);
  await names.read(entries, NO_STOP);
  const none: Documents = new Map();
  const { after } = foldBatch(none, entries, names.of);
  return { after, document: after.documents.get(RENDER_ID), tokens: after.search.get(RENDER_ID) ?? [] };
};

test('a name in the payload is shown and found, and is in no event', async (t) => {
  const { after, document, tokens } = await documentOf(batchEntries([outside, ...REST]), async () => payloadOf(SALTED));
  t.is(document === undefined ? null : nameOf(document), NAME);
  t.is(document === undefined ? null : (renderWithName(document)?.name ?? null), NAME);
  t.true(tokens.some((token) => token.includes('lovelace')));
  t.true(document?.by_project?.startsWith('proj_1:'));
  t.false(JSON.stringify({ ...document, name: null, name_salt: null }).includes('Ada'));
  t.false(JSON.stringify(after.status).includes('Ada'));
});

test('a render whose payload was erased is not shown or listed', async (t) => {
  const gone = async ({ path }: PayloadRef) => {
    throw new BlobFault('not_found', path, 'gone');
  };
  const { document, tokens } = await documentOf(batchEntries([outside, ...REST]), gone);
  if (document === undefined) return t.fail();
  t.is(nameOf(document), null);
  t.is(renderWithName(document), null);
  t.deepEqual(tokens, []);
  t.like(document, { by_project: null, by_project_status: null, by_team_status: null, position: null });
  t.like(document, { account_id: 'acc_1', status: 'complete', open: false });
  return undefined;
});

test('a payload with a wrong hash is ignored and counted', async (t) => {
  let corrupt = 0;
  const reading = async (read: () => Promise<Buffer>) => {
    const { document } = await documentOf(batchEntries([outside]), read, NONE, () => {
      corrupt += 1;
    });
    return document === undefined ? undefined : nameOf(document);
  };
  const of = (bytes: Buffer) => reading(async () => bytes);
  t.is(await of(payloadOf({ ...SALTED, name: 'For Charles Babbage' })), null);
  t.is(await of(payloadOf({ ...SALTED, salt: '00' })), null);
  t.is(await of(Buffer.from('{"template_id":null,"values":{}}')), null);
  t.is(await of(Buffer.from('{"template_id":')), null);
  t.is(corrupt, 4);
  for (const [tag, counted] of [
    ['corrupt', 5],
    ['not_found', 5],
  ] as const) {
    t.is(await reading(() => Promise.reject(new BlobFault(tag, 'a', tag))), null);
    t.is(corrupt, counted, tag);
  }
});

test('reads are retried while Blob is unavailable, until the partition is lost', async (t) => {
  let asked = 0;
  const awayTwice = async ({ path }: PayloadRef) => {
    asked += 1;
    if (asked < 3) throw new BlobFault('unavailable', path, 'away');
    return payloadOf(SALTED);
  };
  const { document } = await documentOf(batchEntries([outside]), awayTwice);
  t.is(document?.name, NAME);
  t.is(asked, 3);

  const life = new AbortController();
  const away = async ({ path }: PayloadRef): Promise<Buffer> => {
    life.abort();
    throw new BlobFault('unavailable', path, 'away');
  };
  await t.throwsAsync(namesOf(away).read(batchEntries([outside]), life.signal));
});

test('a known name with the right hash is copied without reading Blob', async (t) => {
  const asked: string[] = [];
  const fromBlob = async ({ path }: PayloadRef) => {
    asked.push(path);
    return payloadOf(SALTED);
  };
  const knows = (named: SaltedName) =>
    documentOf(batchEntries([outside]), fromBlob, async () => new Map([[RENDER_ID, named]]));
  t.is((await knows(SALTED)).document?.name, NAME);
  t.deepEqual(asked, []);
  t.is((await knows({ ...SALTED, name: 'forged' })).document?.name, NAME);
  t.is(asked.length, 1);
});

for (const [kind, first] of [
  ['in the payload', outside],
  ['in the event', requested({ name: NAME })],
] as const)
  test(`an erasure removes a name ${kind} from document, tokens and places, not from charges`, async (t) => {
    const { after, document, tokens } = await documentOf(
      batchEntries([first, ...REST, erased('operator:ops')]),
      async () => payloadOf(SALTED),
    );
    t.false(JSON.stringify(document).includes('Ada'));
    t.deepEqual(tokens, []);
    t.like(document, { name: null, name_salt: null, by_project: null, position: null, account_id: 'acc_1' });
    t.is(document?.render?.charged_credits, prepared.price_credits);
    t.is(after.ledger.get('acc_1')?.charged_credits, prepared.price_credits);
    t.deepEqual(
      after.audit.map(({ kind, actor, refused }) => [kind, actor, refused]),
      [['RenderErased', 'operator:ops', null]],
    );
    const last = after.status.at(-1)?.record;
    t.like(last, { fact_type: 'RenderErased', transition: null });
    t.is(last?.render.name, '');
  });
