import test from 'ava';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { openDocumentWaits } from '../../../platform/read-store/document-waits.ts';
import type { RenderDocument } from '../../../read-models/renders/documents.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const documentOf = (_id: string): RenderDocument => ({
  _id,
  partition: 0,
  offset: 0,
  render: null,
  facts: [],
  ignored_count: 0,
  project_id: null,
  account_id: null,
  status: null,
  open: false,
  by_project: null,
  by_project_status: null,
  by_team_status: null,
  position: null,
  search: [],
});
const isVisible = () => true;
const LONG_MS = 120_000;

test('a waiting read returns a render once it exists', async (t) => {
  let looks = 0;
  const waits = openDocumentWaits(async (ids) => {
    looks += 1;
    return looks < 3 ? [] : ids.map(documentOf);
  }, SYSTEM_CLOCK);
  t.is((await waits.wait('a', isVisible, LONG_MS))?._id, 'a');
  t.is(looks, 3);
});

test('all waiting reads share queries, and each gets its own result', async (t) => {
  const asked: (readonly string[])[] = [];
  const waits = openDocumentWaits(async (ids) => {
    asked.push(ids);
    return asked.length < 2 ? [] : ids.map(documentOf);
  }, SYSTEM_CLOCK);
  const ids = Array.from({ length: 50 }, (_, i) => `r${i}`);
  const found = await Promise.all([...ids, 'r0'].map((id) => waits.wait(id, isVisible, LONG_MS)));
  t.deepEqual(
    found.map((document) => document?._id),
    [...ids, 'r0'],
  );
  t.true(asked.length < ids.length / 2, 'on a busy machine they can come in several groups');
  t.deepEqual([...new Set(asked.flat())].toSorted(), ids.toSorted());
});

test('invisible documents are absent for exactly as long as missing ones', async (t) => {
  const waits = openDocumentWaits(async (ids) => ids.filter((id) => id === 'hidden').map(documentOf), SYSTEM_CLOCK);
  const began = performance.now();
  const both = await Promise.all([waits.wait('hidden', () => false, 150), waits.wait('none', isVisible, 150)]);
  t.deepEqual(both, [null, null]);
  t.true(performance.now() - began >= 149);
});

test('a store failure rejects current waits, not later ones', async (t) => {
  let broken = true;
  const waits = openDocumentWaits(async (ids) => {
    if (broken) throw new Error('away');
    return ids.map(documentOf);
  }, SYSTEM_CLOCK);
  await t.throwsAsync(waits.wait('a', isVisible, LONG_MS), { message: 'away' });
  broken = false;
  t.is((await waits.wait('a', isVisible, LONG_MS))?._id, 'a');
});

test('two thousand waiting reads are answered in time and see new renders soon', async (t) => {
  const clock = virtualClock();
  const there = new Set<string>();
  const waits = openDocumentWaits(async (ids) => {
    await clock.sleep(20);
    return ids.filter((id) => there.has(id)).map(documentOf);
  }, clock);
  const answered = new Map<string, { readonly found: boolean; readonly at: number }>();
  for (let i = 0; i < 2_000; i += 1) {
    const id = `r${i}`;
    void waits
      .wait(id, isVisible, 2_000)
      .then((document) => answered.set(id, { found: document !== null, at: clock.now() }));
  }
  await clock.advance(600);
  for (const id of ['r0', 'r1000', 'r1999']) there.add(id);
  await clock.advance(3_000);
  t.is(answered.size, 2_000);
  for (const id of there) t.true(answered.get(id)?.found === true && (answered.get(id)?.at ?? 0) < 1_200, id);
  t.true(Math.max(...Array.from(answered.values(), ({ at }) => at)) <= 2_020);
});
