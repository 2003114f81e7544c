import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { AVOIDED } from './_forms/avoided.ts';
import { groundOf, leaveStore, openStore, ownDatabase, type StoreServer, startStore } from './_store.ts';

/** The replacements must be right on every server; the avoided forms are only reported. */
let server: StoreServer;
let store: ReadStore;

test.before(async (t) => {
  t.timeout(360_000);
  server = await startStore();
  store = await openStore(server.url, ownDatabase());
});

test.after.always(async () => {
  await leaveStore(store);
  await server?.stop();
});

for (const form of AVOIDED) {
  test.serial(`the code avoids a wrong answer of the store: ${form.name}`, async (t) => {
    t.timeout(180_000);
    t.deepEqual(await form.instead(await groundOf(store, form)), form.expected, 'the replacement');
    const got = await form.avoided(await groundOf(store, form));
    t.log(isDeepStrictEqual(got, form.expected) ? 'this server answers it rightly' : `wrong here too: ${form.seen}`);
  });
}
