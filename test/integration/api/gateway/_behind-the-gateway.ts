import anyTest, { type TestFn } from 'ava';
import { startWorld, type World } from '../_world.ts';

export const ORIGIN = 'https://app.example.com';

/** The suites of gateway.test.ts share one world. */
export const test = anyTest as TestFn<World>;

test.serial.before(async (t) => {
  t.timeout(360_000);
  t.context = await startWorld({ components: ['gateway', 'stills'], env: { CORS_ORIGINS: ORIGIN } });
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stop?.();
});
