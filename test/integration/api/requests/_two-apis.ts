import anyTest, { type TestFn } from 'ava';
import { type CommandApi, startCommandApi } from '../_command-api.ts';
import { startWorld, type World } from '../_world.ts';

/** Two command APIs on the same servers; tests kill the second one. */
export type Context = World & { readonly second: { api: CommandApi } };

export const test = anyTest as TestFn<Context>;

test.before(async (t) => {
  t.timeout(400_000);
  const world = await startWorld();
  t.context = { ...world, second: { api: await startCommandApi(world.stack.env) } };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.second?.api.kill();
  await t.context.stop?.();
});
