import test from 'ava';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { until } from '../../../stack/testing/until.ts';
import { all, type Ground, idsOf } from './_forms/form.ts';
import { FORMS } from './_forms/table.ts';
import { groundOf, openStore, ownDatabase, type StoreServer, startStore } from './_store.ts';

/** Whichever server runs must answer every form of query and write as the code expects; one that does not is named. */
let server: StoreServer;
let store: ReadStore;
let expiring: Ground;
/** As `expiring`, where each document says when. */
let ending: Ground;

/** Servers look for what has expired once a minute. */
const EXPIRED_WITHIN_MS = 150_000;

test.before(async (t) => {
  t.timeout(180_000);
  server = await startStore();
  store = await openStore(server.url, ownDatabase());
  const now = Date.now();
  expiring = await groundOf(store, {
    documents: [
      { _id: 'rend_1', at: new Date(now - 600_000) },
      { _id: 'rend_2', at: new Date(now + 600_000) },
      { _id: 'rend_3', at: null },
    ],
    indexes: [{ key: { at: 1 }, expireAfterSeconds: 60 }],
  });
  ending = await groundOf(store, {
    documents: [
      { _id: 'hook_1', delete_at: new Date(now - 1_000) },
      { _id: 'hook_2', delete_at: new Date(now + 600_000) },
      { _id: 'hook_3' },
    ],
    indexes: [{ key: { delete_at: 1 }, expireAfterSeconds: 0 }],
  });
});

test.after.always(async () => {
  await store?.db.dropDatabase();
  await store?.close();
  await server?.stop();
});

for (const [theme, forms] of Object.entries(FORMS)) {
  for (const form of forms) {
    test.serial(`${theme}: ${form.name}`, async (t) => {
      t.timeout(60_000);
      const ground = await groundOf(store, form);
      const got = await form.operation(ground);
      t.deepEqual(got, form.expected, `the server answers this form wrongly: ${theme}: ${form.name}`);
    });
  }
}

// Last, as the others take some of the time that it waits.
test.serial('server: what has expired goes by itself, and nothing else', async (t) => {
  t.timeout(EXPIRED_WITHIN_MS + 30_000);
  await until(
    'the expired document is gone',
    async () =>
      (await expiring.things.findOne({ _id: 'rend_1' })) === null &&
      (await ending.things.findOne({ _id: 'hook_1' })) === null,
    EXPIRED_WITHIN_MS,
  );
  t.deepEqual(idsOf(await all(expiring.things)), ['rend_2', 'rend_3']);
  t.deepEqual(idsOf(await all(ending.things)), ['hook_2', 'hook_3']);
});
