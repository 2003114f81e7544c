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

/** A catalogue with one version, and the reads of it. */
const countedCatalogue = () => {
  const reads = { versions: 0, erasures: 0 };
  const state = { is_erased: false };
  const catalogue = {
    projectVersion: async () => {
      reads.versions += 1;
      return state.is_erased ? null : JSON.stringify(BARE_PROJECT);
    },
    isErased: async () => {
      reads.erasures += 1;
      return state.is_erased;
    },
  };
  return { reads, state, versions: findVersion(catalogue, logger, clock) };
};

test('a version is read once, and its project at each later use', async (t) => {
  const { reads, versions } = countedCatalogue();
  for (let use = 0; use < 3; use += 1) t.true(E.isRight(await versions('proj_1', 1, NEVER)));
  t.deepEqual(reads, { versions: 1, erasures: 2 });
  t.true(E.isRight(await versions('proj_1', 2, NEVER)));
  t.is(reads.versions, 2);
});

test('a cached version of an erased project is not used', async (t) => {
  const { reads, state, versions } = countedCatalogue();
  await versions('proj_1', 1, NEVER);
  await versions('proj_1', 2, NEVER);
  state.is_erased = true;
  t.like(await versions('proj_1', 1, NEVER), { left: { code: 'project_erased' } });
  t.like(await versions('proj_1', 2, NEVER), { left: { code: 'project_erased' } });
  t.is(reads.versions, 3);
});

test('concurrent uses of a cached version share the read of the erasure', async (t) => {
  const { reads, versions } = countedCatalogue();
  await versions('proj_1', 1, NEVER);
  await Promise.all(Array.from({ length: 10 }, () => versions('proj_1', 1, NEVER)));
  t.is(reads.erasures, 2);
});

test('a cached version waits while the store cannot tell whether its project is erased', async (t) => {
  const answers = [true, false];
  const versions = findVersion(
    {
      projectVersion: async () => JSON.stringify(BARE_PROJECT),
      isErased: async () => {
        if (answers.shift() === true) throw new Error('connection refused');
        return false;
      },
    },
    logger,
    clock,
  );
  await versions('proj_1', 1, NEVER);
  t.true(E.isRight(await versions('proj_1', 1, NEVER)));
  t.deepEqual(answers, []);
});
