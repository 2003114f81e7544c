import test from 'ava';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import type { Stored } from '../integration/store/_forms/form.ts';
import { groundOf, openStore, ownDatabase, type StoreServer, startStore } from '../integration/store/_store.ts';

let server: StoreServer;
let store: ReadStore;
test.before(async (t) => {
  t.timeout(180_000);
  server = await startStore();
  store = await openStore(server.url, ownDatabase());
});
test.after.always(async (t) => {
  t.timeout(60_000);
  await store?.close();
  await server?.stop();
});

const RENDERS = 100_000;
/** Number of documents in one transaction of the fold. */
const AT_ONCE = 200;
const TOKENS = 20;

const render = (n: number): Stored => ({
  _id: `rend_${n}`,
  by_project: `proj:${n}`,
  position: String(n).padStart(9, '0'),
  search: Array.from({ length: TOKENS }, (_, k) => `proj:${k} of ${n}`),
  facts: 'x'.repeat(1_500),
});

test('changes of scattered documents are written while others read', async (t) => {
  t.timeout(10 * 60_000);
  const { things, others } = await groundOf(store, {
    indexes: [{ key: { search: 1, position: 1 } }, { key: { by_project: 1 } }],
  });
  const numbers = Array.from({ length: RENDERS }, (_, n) => n);
  for (let begin = 0; begin < RENDERS; begin += AT_ONCE) {
    const part = numbers.slice(begin, begin + AT_ONCE).map(render);
    await store.transaction((session) => things.insertMany(part, { session }));
  }
  let reads = 0;
  let over = false;
  const reading = pollUntil(
    'the changes are written',
    async () => {
      await others.find({}).toArray();
      reads += 1;
      return over ? true : null;
    },
    5 * 60_000,
  );
  const every = RENDERS / (10 * AT_ONCE);
  const far_apart = numbers.filter((n) => n % every === 0);
  for (let begin = 0; begin < far_apart.length; begin += AT_ONCE) {
    const changes = far_apart.slice(begin, begin + AT_ONCE).map((n) => ({
      updateOne: {
        filter: { _id: `rend_${n}` },
        update: { $set: { status: 'ready', by_project: `proj:#${n}`, facts: 'y'.repeat(2_000) } },
      },
    }));
    const { modifiedCount } = await store.transaction((session) => things.bulkWrite(changes, { session }));
    t.is(modifiedCount, AT_ONCE);
  }
  over = true;
  await reading;
  t.true(reads > 1);
});
