import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import type { Stack } from '../../../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../../../stack/testing/stack-clients.ts';
import { startTestStack } from '../../../helpers/test-stack.ts';

export type Common = { readonly folder: string; readonly stack: Stack; readonly clients: StackClients };

/** The suites of erasures.test.ts share one stack, one after the other. Each test starts its own retention process. */
export const test = anyTest as TestFn<Common>;

test.before(async (t) => {
  t.timeout(360_000);
  const folder = await mkdtemp(join(tmpdir(), 'erasures '));
  const stack = await startTestStack({ dataDir: join(folder, 'data'), components: ['projectors', 'query-api'] });
  t.context = { folder, stack, clients: await openStackClients(stack.env) };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.clients?.close();
  await t.context.stack?.stop();
  await rm(t.context.folder ?? '', { recursive: true, force: true });
});
