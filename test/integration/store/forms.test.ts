import test from 'ava';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { FORMS } from './_forms/table.ts';
import { groundOf, leaveStore, openStore, ownDatabase, type StoreServer, startStore } from './_store.ts';

/** Any server must answer every form of query and write as the code expects; a failure names the form. */
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

for (const [theme, forms] of Object.entries(FORMS)) {
  for (const form of forms) {
    test.serial(`${theme}: ${form.name}`, async (t) => {
      t.timeout(180_000);
      const ground = await groundOf(store, form);
      const got = await form.operation(ground);
      t.deepEqual(got, form.expected, `the server answers this form wrongly: ${theme}: ${form.name}`);
    });
  }
}
