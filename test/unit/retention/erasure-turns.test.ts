import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { createLogger } from '../../../platform/logging/logger.ts';
import type { ErasedEntity } from '../../../read-models/catalogue/erased-entities.ts';
import type { HeldLease } from '../../../retention/lease/lease.ts';
import { projectSweeps } from '../../../retention/projects/project-sweep.ts';
import { openErasures } from '../../../retention/sweeps/open-erasures.ts';
import { NOTHING_REMOVED } from '../../../retention/sweeps/progress.ts';
import { runSweeps, type SweepsProgress } from '../../../retention/sweeps/run-sweeps.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const APPEND_MS = 20;

const entity = (id: string, tenant_id: string): ErasedEntity => ({
  ...{ id, tenant_id, position: id },
  erased: { at: 0, by: 'user:ana', event_id: `event of ${id}` },
});

type FakeRender = { readonly id: string; readonly position: string; has_ended: boolean; is_erased: boolean };

/** The store and the log, which all processes share. */
type Shared = {
  readonly clock: ReturnType<typeof virtualClock>;
  readonly projects: ErasedEntity[];
  /** By project. */
  readonly renders: Map<string, FakeRender[]>;
  readonly by_id: Map<string, FakeRender>;
  readonly files: Set<string>;
  readonly appended: string[];
  /** Projects whose erasures are not appended. */
  readonly stuck: Set<string>;
  stored: SweepsProgress | null;
  /** Concurrent appends share one request. */
  request: Promise<void> | null;
};

const oneRequest = (shared: Shared): Promise<void> => {
  shared.request ??= shared.clock.sleep(APPEND_MS).finally(() => {
    shared.request = null;
  });
  return shared.request;
};

const appendErasure = async (shared: Shared, signal: AbortSignal, render_id: string) => {
  const { stuck, appended, by_id, renders } = shared;
  await oneRequest(shared);
  if (signal.aborted) throw new Error('killed');
  const project_id = render_id.slice('rend_'.length, render_id.lastIndexOf('_'));
  if (stuck.has(project_id)) return E.left({ tag: 'not_appended' as const, message: 'Kafka is away' });
  appended.push(render_id);
  const render = by_id.get(render_id) ?? renders.get(project_id)?.find(({ id }) => id === render_id);
  if (render !== undefined) render.is_erased = true;
  return E.right(null);
};

const sweepsOf = (shared: Shared, signal: AbortSignal) => {
  const { clock, projects, renders, files } = shared;
  return projectSweeps({
    blobs: {
      list: async (prefix) => {
        const found = [...files].filter((path) => path.startsWith(prefix));
        return { found: found.map((path) => ({ path, size_bytes: 1, stored_at: 0 })), next: null };
      },
      remove: async (path) => void files.delete(path),
    },
    erasedProjects: async (since, from, count) =>
      projects.filter(({ erased, position }) => erased.at >= since && position > (from ?? '')).slice(0, count),
    unlistedOf: async () => [],
    stored_files: { removeAllOfProject: async () => undefined },
    rendersOf: async (id, from, count) =>
      (renders.get(id) ?? [])
        .filter(({ is_erased, position }) => !is_erased && position > (from ?? ''))
        .slice(0, count)
        .map(({ id: render_id, has_ended, position }) => ({ id: render_id, has_ended, position })),
    catchUp: async () => [],
    appendErasure: ({ render_id }) => appendErasure(shared, signal, render_id),
    clock,
    warn: () => undefined,
  });
};

/** Starts a process that holds the lease. @returns a function that kills it */
const startProcess = (shared: Shared): (() => Promise<void>) => {
  const { clock } = shared;
  const life = new AbortController();
  const { signal } = life;
  const held: HeldLease<SweepsProgress> = {
    signal,
    progress: () => shared.stored,
    save: async (change) => {
      signal.throwIfAborted();
      // A copy, as the real store returns.
      shared.stored = JSON.parse(JSON.stringify(change(shared.stored)));
    },
  };
  const { sweeps, run } = sweepsOf(shared, signal);
  const logger = createLogger('test', 'silent');
  const working = Promise.all([
    runSweeps(sweeps, held, { onPage: () => undefined, logger, clock }),
    run(held, () => undefined),
  ]);
  return async () => {
    life.abort(new Error('killed'));
    await clock.advance(1_000);
    await working;
  };
};

const renderOf = (project_id: string, n: number, has_ended = true): FakeRender => ({
  ...{ id: `rend_${project_id}_${n}`, position: `${project_id}:${String(n).padStart(13, '0')}`, has_ended },
  is_erased: false,
});

const openWorld = () => {
  const clock = virtualClock();
  const shared: Shared = {
    ...{ clock, projects: [], renders: new Map(), by_id: new Map(), files: new Set(), appended: [] },
    ...{ stuck: new Set(), stored: null, request: null },
  };
  const { projects, renders, by_id, files, appended, stuck } = shared;
  const addProject = (id: string, tenant_id: string, count: number): void => {
    projects.push(entity(id, tenant_id));
    const all = Array.from({ length: count }, (_, n) => renderOf(id, n + 1));
    renders.set(id, all);
    for (const render of all) by_id.set(render.id, render);
    files.add(`projects/${id}/name.json`);
  };
  const left = (id: string): number => (renders.get(id) ?? []).filter(({ is_erased }) => !is_erased).length;
  const until = async (isDone: () => boolean, limit_ms: number): Promise<number> => {
    const began = clock.monotonic();
    while (!isDone() && clock.monotonic() - began < limit_ms) await clock.advance(100);
    return clock.monotonic() - began;
  };
  const isGone = (id: string) => () => left(id) === 0 && ![...files].some((path) => path.includes(`/${id}/`));
  return {
    ...{ clock, renders, files, appended, stuck, addProject, left, until, isGone },
    stored: () => shared.stored,
    start: () => startProcess(shared),
  };
};

const HUGE = 20_000;
const DAY_MS = 86_400_000;

test('a small project is erased within seconds beside a huge one', async (t) => {
  const { clock, addProject, left, start, until, isGone } = openWorld();
  addProject('proj_a_huge', 'acc_huge', HUGE);
  const kill = start();
  await clock.advance(1_000);
  addProject('proj_b_small', 'acc_small', 3);
  addProject('proj_c_middle', 'acc_middle', 1_200);
  t.true((await until(isGone('proj_b_small'), 60_000)) <= 7_000);
  t.true(left('proj_a_huge') > HUGE / 2);
  t.true((await until(isGone('proj_c_middle'), 60_000)) <= 4_000);
  t.true(left('proj_a_huge') > 0);
  await until(isGone('proj_a_huge'), 60_000);
  t.true(isGone('proj_a_huge')());
  await kill();
});

test('accounts get equal turns', async (t) => {
  const { clock, addProject, left, start, until, isGone } = openWorld();
  for (let n = 10; n < 50; n += 1) addProject(`proj_a${n}`, 'acc_many', 1_500);
  const kill = start();
  await clock.advance(1_000);
  addProject('proj_b', 'acc_one', 1_500);
  t.true((await until(isGone('proj_b'), 120_000)) <= 15_000);
  const many = Array.from({ length: 40 }, (_, n) => left(`proj_a${n + 10}`)).reduce((sum, count) => sum + count, 0);
  t.true(isGone('proj_b')());
  t.true(many > 30_000, String(many));
  await kill();
});

test('erasures beyond the limit of open ones do not wait another day', async (t) => {
  const { clock, addProject, start, until, isGone } = openWorld();
  const ids = Array.from({ length: 60 }, (_, n) => `proj_a${n + 10}`);
  for (const id of ids) addProject(id, 'acc_1', 500);
  // Retention did not run for two days, so these erasures are not recent.
  await clock.advance(2 * DAY_MS);
  const kill = start();
  await until(() => ids.every((id) => isGone(id)()), 600_000);
  t.deepEqual(
    ids.filter((id) => !isGone(id)()),
    [],
  );
  await kill();
});

test('finished projects do not take turns of others', async (t) => {
  const { clock, addProject, start, until, isGone, left } = openWorld();
  for (let n = 10; n < 70; n += 1) addProject(`proj_a${n}`, 'acc_1', 1);
  const kill = start();
  await until(isGone('proj_a69'), 10_000);
  addProject('proj_b_huge', 'acc_1', HUGE);
  await clock.advance(6_000);
  addProject('proj_c', 'acc_1', 2);
  t.true((await until(isGone('proj_c'), 60_000)) <= 10_000);
  t.true(left('proj_b_huge') > 0);
  await kill();
});

test('another process continues within a project after a kill', async (t) => {
  const { appended, addProject, renders, left, start, until, isGone, stored } = openWorld();
  addProject('proj_a', 'acc_1', 8_000);
  // These still run: a process that starts from the beginning would read them first.
  for (const render of (renders.get('proj_a') ?? []).slice(0, 2_000)) render.has_ended = false;
  let kill = start();
  await until(() => left('proj_a') < 4_000 && stored()?.open !== undefined, 60_000);
  await kill();
  const [open] = stored()?.open?.erasures.projects ?? [];
  t.is(open?.entity.id, 'proj_a');
  const next = open?.next ?? '';
  t.true(next > 'first:proj_a:0000000002500', next);
  kill = start();
  await until(() => left('proj_a') === 2_000, 60_000);
  for (const render of renders.get('proj_a') ?? []) render.has_ended = true;
  await until(isGone('proj_a'), 120_000);
  t.true(isGone('proj_a')());
  t.is(new Set(appended).size, 8_000);
  t.is(appended.length, 8_000, 'none twice');
  await kill();
});

test('two concurrent lease holders erase a project, and its late render when it ends', async (t) => {
  const { addProject, renders, files, start, until, isGone, left } = openWorld();
  addProject('proj_a', 'acc_1', 3_000);
  const kills = [start(), start()];
  await until(() => left('proj_a') < 1_500, 60_000);
  // Its position is before the one that the sweep has reached.
  renders.set('proj_a', [renderOf('proj_a', 0, false), ...(renders.get('proj_a') ?? [])]);
  await until(() => left('proj_a') === 1, 60_000);
  await until(() => false, 20_000);
  t.is(files.size, 1, 'it needs its files until its end');
  const [late] = renders.get('proj_a') ?? [];
  if (late !== undefined) late.has_ended = true;
  await until(isGone('proj_a'), 60_000);
  t.true(isGone('proj_a')());
  for (const kill of kills) await kill();
});

test('an unfinishable project delays no other, and finishes later', async (t) => {
  const { clock, addProject, start, until, isGone, stuck } = openWorld();
  addProject('proj_a', 'acc_1', 1_000);
  addProject('proj_b', 'acc_2', 3_000);
  const kill = start();
  await clock.advance(500);
  stuck.add('proj_a');
  await until(isGone('proj_b'), 60_000);
  t.true(isGone('proj_b')());
  stuck.clear();
  await until(isGone('proj_a'), 300_000);
  t.true(isGone('proj_a')());
  await kill();
});

test('tenants take turns; after three failures an erasure waits', async (t) => {
  const steps: string[] = [];
  const open = openErasures(
    async ({ id }, from) => {
      steps.push(id);
      if (id === 'a1') throw new Error('a1 is stuck');
      return { next: from === '3' ? null : String(Number(from) + 1), removed: NOTHING_REMOVED };
    },
    { ...virtualClock(), sleep: async () => undefined },
    () => undefined,
  );
  for (const id of ['a1', 'a2', 'b1']) open.add({ entity: entity(id, id.charAt(0)), next: '1' });
  open.add({ entity: entity('a1', 'a'), next: '7' });
  const signal = new AbortController().signal;
  while ((await open.step(signal)) !== null);
  t.deepEqual(steps, ['a1', 'b1', 'a2', 'b1', 'a1', 'b1', 'a2', 'a1', 'a2']);
  t.deepEqual(open.all(), []);
  t.false(open.has('a1'));
});

test('a step that a lost lease interrupts keeps its place', async (t) => {
  const life = new AbortController();
  const open = openErasures(
    async () => {
      life.abort(new Error('the lease is lost'));
      throw new Error('cut off');
    },
    virtualClock(),
    () => undefined,
  );
  open.add({ entity: entity('a1', 'a'), next: '5' });
  await t.throwsAsync(open.step(life.signal), { message: 'the lease is lost' });
  t.deepEqual(open.all(), [{ entity: entity('a1', 'a'), next: '5' }]);
});
