import test from 'ava';
import { decodeBatch } from '../../../platform/processor/decode-batch.ts';
import type { Decoded } from '../../../platform/records/record-log.ts';
import { acceptRenderEvents } from '../../../projectors/render/accept.ts';
import { recordAt } from '../../helpers/batch-entries.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { prepared, RENDER_ID, requested } from '../../helpers/render-events.ts';

/** Every key belongs to partition 2, which has the records of these tests. */
const accept = acceptRenderEvents(() => 2);
const ownKey = (offset: number) => recordAt(offset, { key: Buffer.from(RENDER_ID) });
const decoded = (record: Extract<Decoded, { tag: 'record' }>['record']): Decoded => ({ tag: 'record', record });

test('an event with the key of its own render is folded', (t) => {
  const batch = decodeBatch([ownKey(0)], [decoded(requested())], accept);
  t.like(batch, { stop: null, entries: [{ tag: 'event', event: requested() }] });
});

test('invalid records are quarantined and skipped', (t) => {
  const said: Decoded[] = [{ tag: 'poison', reason: 'no frame' }, decoded(requested())];
  const batch = decodeBatch([ownKey(0), ownKey(1)], said, accept);
  t.is(batch.stop, null);
  t.deepEqual(
    batch.entries.map(({ tag }) => tag),
    ['poison', 'event'],
  );
});

test('an event with another key or none is quarantined', (t) => {
  for (const key of [Buffer.from('rend_other'), null]) {
    const batch = decodeBatch([recordAt(0, { key })], [decoded(prepared)], accept);
    t.like(batch.entries[0], { tag: 'poison', reason: 'key_mismatch' });
  }
});

test('an event in the wrong partition of its key is quarantined', (t) => {
  const batch = decodeBatch(
    [ownKey(0)],
    [decoded(requested())],
    acceptRenderEvents(() => 1),
  );
  t.like(batch.entries[0], { tag: 'poison', reason: 'wrong_partition' });
});

test('a record of another topic is quarantined', (t) => {
  const [account] = CATALOGUE;
  if (account === undefined) throw new Error('no sample');
  t.like(decodeBatch([ownKey(0)], [decoded(account)], accept).entries[0], { reason: 'wrong_topic' });
});

test('an unknown record stops the partition before it', (t) => {
  const said: Decoded[] = [decoded(requested()), { tag: 'unknown', reason: 'schema 99' }, decoded(prepared)];
  const batch = decodeBatch([ownKey(0), ownKey(1), ownKey(2)], said, accept);
  t.is(batch.entries.length, 1);
  t.is(batch.stop, 'render-events/2/1: schema 99');
});
