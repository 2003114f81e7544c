import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { seedDemo } from '../../../../demo/seed.ts';
import { openStackClients } from '../../../../stack/testing/stack-clients.ts';
import { startTestStack } from '../../../helpers/test-stack.ts';

const closing: (() => Promise<void>)[] = [];

const start = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'renderctl '));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const components = ['projectors', 'command-api', 'query-api', 'gateway'];
  const stack = await startTestStack({ dataDir: join(folder, 'data'), components });
  closing.push(stack.stop);
  const clients = await openStackClients(stack.env);
  closing.push(clients.close);
  const seeded_path = join(folder, 'data', 'demo.json');
  const seeded = await seedDemo({ env: stack.env, seeded_path });
  if (!isDeepStrictEqual(await seedDemo({ env: stack.env, seeded_path }), seeded))
    throw new Error('seeding again changes it');
  const env = { ...stack.env, RENDERCTL_BASE_URL: stack.base_url, RENDERCTL_API_KEY: seeded.api_key };
  return { folder, stack, clients, env, ...seeded };
};

let starting: ReturnType<typeof start> | undefined;

export const seededStack = (): ReturnType<typeof start> => {
  starting ??= start();
  return starting;
};

test.after.always(async (t) => {
  t.timeout(180_000);
  for (const close of closing.toReversed()) await close();
});
