import { setImmediate as aTurn } from 'node:timers/promises';
import test from 'ava';
import type { CatalogueEvent, CatalogueEventWithTexts } from '../../../domain/catalogue/events.ts';
import { PAYLOAD_RULES_VERSION } from '../../../domain/catalogue/rules.ts';
import { BlobFault, type BlobFaultTag, type BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import { payloadTexts } from '../../../projectors/catalogue/payload-texts.ts';
import { NO_STORED_TEXTS } from '../../../projectors/catalogue/stored-texts.ts';
import { createTextWait } from '../../../projectors/payload-reads.ts';
import { projectNameBytes } from '../../../schemas/blobs/payloads.ts';
import { catalogueEntries, recordAt } from '../../helpers/batch-entries.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { metaBy } from '../../helpers/render-events.ts';

const meta = metaBy('operator:test');
const head = { rules: PAYLOAD_RULES_VERSION, meta, project_id: 'proj_1' };

const version = (path: string, number = 1): CatalogueEvent => ({
  ...{ type: 'ProjectVersionAdded', ...head, version: number, base_version: number - 1 },
  ...{ name: '', document: '', document_sha256: '', payload: { path, sha256: 'ab' } },
});
const created = (path: string): CatalogueEvent => ({
  ...{ type: 'ProjectCreated', ...head, team_id: 'team_1', name: '', created_by: null },
  payload: { path, sha256: 'ab' },
});

type Read = BlobStore['getSaltedPayload'];

/** The wait for texts is longer than in production, because some retries on a busy machine take more than 5 s. */
const PATIENT_CLOCK = { ...SYSTEM_CLOCK, after: (ms: number, run: () => void) => SYSTEM_CLOCK.after(12 * ms, run) };

const reading = (getSaltedPayload: Read, onCorrupt: () => void = () => undefined) =>
  payloadTexts({
    ...{ blobs: { getSaltedPayload }, stored: NO_STORED_TEXTS, logger: createLogger('test', 'silent') },
    ...{ wait: createTextWait(PATIENT_CLOCK, async () => 0), clock: SYSTEM_CLOCK, onCorrupt },
  });

const eventsOf = (entries: readonly BatchEntry<CatalogueEventWithTexts>[]) =>
  entries.map((entry) => (entry.tag === 'event' ? entry.event : null));

const NEVER = new AbortController().signal;

const faulty = (tag: BlobFaultTag): BlobFault => new BlobFault(tag, 'a', tag);

test('payloads are filled into their events, other entries stay', async (t) => {
  const document = '{"compositions":[],"name":"Vår"}';
  const texts = reading(async ({ path }) => ({
    bytes: path === 'name' ? projectNameBytes('Sale') : Buffer.from(document),
    salt: `of ${path}`,
  }));
  const others = catalogueEntries(CATALOGUE);
  const poison: BatchEntry<CatalogueEventWithTexts> = { tag: 'poison', record: recordAt(99), reason: 'no frame' };
  const entries = [...others, ...catalogueEntries([created('name'), version('document')]), poison];
  const filled = await texts(entries, NEVER);
  t.deepEqual(filled.slice(0, others.length), others);
  t.deepEqual(eventsOf(filled.slice(others.length)), [
    { ...created('name'), name: 'Sale', salt: 'of name' },
    {
      ...version('document'),
      ...{ name: 'Vår', document, salt: 'of document' },
      document_sha256: '2feaec335397d722c49a981d9a390ac55e465b51d6728f493a055435491bcc6f',
    },
    null,
  ]);
  // The texts change no record, because the chain hashes exactly the records of the log.
  t.deepEqual(
    filled.map(({ record }) => record),
    entries.map(({ record }) => record),
  );
});

for (const [tag, counted] of [
  ['not_found', 0],
  ['corrupt', 1],
] as const)
  test(`a payload that is ${tag} stays empty and delays nothing`, async (t) => {
    let corrupt = 0;
    const read: Read = async ({ path }) => {
      if (path === 'gone') throw faulty(tag);
      return { bytes: projectNameBytes('Sale'), salt: '00' };
    };
    const texts = reading(read, () => {
      corrupt += 1;
    });
    const filled = await texts(catalogueEntries([created('gone'), created('there')]), NEVER);
    t.deepEqual(eventsOf(filled), [created('gone'), { ...created('there'), name: 'Sale', salt: '00' }]);
    t.is(corrupt, counted);
  });

test('an invalid project document stays empty', async (t) => {
  for (const text of ['', 'no JSON', '[]', '{"name":1}']) {
    const texts = reading(async () => ({ bytes: Buffer.from(text), salt: '00' }));
    const filled = await texts(catalogueEntries([created('name'), version('document')]), NEVER);
    t.deepEqual(eventsOf(filled), [created('name'), version('document')], text);
  }
});

test('reads are retried while the blob store is unavailable', async (t) => {
  let tries = 0;
  const texts = reading(async () => {
    tries += 1;
    if (tries < 4) throw faulty('unavailable');
    return { bytes: projectNameBytes('Sale'), salt: '00' };
  });
  const filled = await texts(catalogueEntries([created('name')]), NEVER);
  t.like(eventsOf(filled), [{ name: 'Sale' }]);
  t.is(tries, 4);
});

test('losing the partition ends the wait for the blob store', async (t) => {
  const losing = new AbortController();
  const texts = reading(async () => {
    losing.abort(new Error('lost'));
    throw faulty('unavailable');
  });
  await t.throwsAsync(texts(catalogueEntries([created('name')]), losing.signal), { message: 'lost' });
});

test('a bug in the code does not count as a missing payload', async (t) => {
  const texts = reading(async () => {
    throw new TypeError('a mistake');
  });
  await t.throwsAsync(texts(catalogueEntries([created('name')]), NEVER), { message: 'a mistake' });
});

test('a batch of large documents is cut, and concurrent reads are limited', async (t) => {
  let under_way = 0;
  let most = 0;
  const texts = reading(async () => {
    under_way += 1;
    most = Math.max(most, under_way);
    await aTurn();
    under_way -= 1;
    return { bytes: Buffer.from(JSON.stringify({ name: 'Large', text: 'x'.repeat(256 * 1024) })), salt: '00' };
  });
  const entries = catalogueEntries(Array.from({ length: 200 }, (_, n) => version(`document ${n}`, n + 1)));
  let rest: readonly BatchEntry<CatalogueEventWithTexts>[] = entries;
  while (rest.length > 0) {
    const filled = await texts(rest, NEVER);
    t.true(filled.length > 0 && filled.length <= 64);
    t.true(eventsOf(filled).every((event) => event?.type === 'ProjectVersionAdded' && event.name === 'Large'));
    t.deepEqual(
      filled.map(({ record }) => record),
      rest.slice(0, filled.length).map(({ record }) => record),
    );
    rest = rest.slice(filled.length);
  }
  t.is(most, 32);
});
