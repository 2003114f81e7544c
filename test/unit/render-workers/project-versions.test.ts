import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { createLogger } from '../../../platform/logging/logger.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { findVersion } from '../../../render-workers/preparer/project-versions.ts';
import { BARE_PROJECT } from './_bare-project.ts';

const NEVER = new AbortController().signal;
const clock: Clock = { ...SYSTEM_CLOCK, sleep: async () => undefined };
const logger = createLogger('test', 'silent');

const find = (projectVersion: () => Promise<string | null>, is_erased = false) =>
  findVersion({ projectVersion, isErased: async () => is_erased }, logger, clock)('proj_1', 1, NEVER);

test('an unavailable store is retried, and a missing version is awaited', async (t) => {
  let asked = 0;
  const found = await find(async () => {
    asked += 1;
    if (asked === 1) throw new Error('connection refused');
    return asked === 2 ? null : JSON.stringify(BARE_PROJECT);
  });
  t.true(E.isRight(found));
  t.is(asked, 3);
});

test('a version of an erased project fails the render at once, with the reason', async (t) => {
  let asked = 0;
  const found = await find(async () => {
    asked += 1;
    return null;
  }, true);
  t.deepEqual(found, E.left({ code: 'project_erased', message: 'the project was erased', field: null }));
  t.is(asked, 1);
});

test('an unreadable document is requested once, unlike one of an unavailable store', async (t) => {
  let asked = 0;
  const broken = async () => {
    asked += 1;
    return '{ "name": ';
  };
  await t.throwsAsync(find(broken), { instanceOf: SyntaxError });
  t.is(asked, 1);
  const mistaken = async () => {
    throw new TypeError('a mistake of ours');
  };
  await t.throwsAsync(find(mistaken), { instanceOf: TypeError });
});
