import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { ErasedEntity } from '../../../read-models/catalogue/erased-entities.ts';
import type { ProjectRender } from '../../../read-models/renders/project-renders.ts';
import type { RenderErasure } from '../../../render-commands/erase-render.ts';
import { projectSweeps } from '../../../retention/projects/project-sweep.ts';
import type { SweepPageResult } from '../../../retention/sweeps/progress.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const DAY_MS = 86_400_000;
const NEVER = new AbortController().signal;

const project = (id: string, at: number, tenant_id = 'acc_1'): ErasedEntity => ({
  ...{ id, tenant_id, position: `${String(at).padStart(13, '0')}${id}` },
  erased: { at, by: 'user:ana', event_id: `event of ${id}` },
});

const openWorld = (projects: readonly ErasedEntity[], counts: Readonly<Record<string, number>>) => {
  const clock = virtualClock();
  const renders = new Map<string, ProjectRender[]>();
  for (const [id, count] of Object.entries(counts))
    renders.set(
      id,
      Array.from({ length: count }, (_, n) => {
        const position = `${id}:${String(n).padStart(13, '0')}`;
        return { id: `rend_${id}_${n}`, has_ended: true, position };
      }),
    );
  const unlisted = new Map<string, Omit<ProjectRender, 'position'>[]>();
  const files = new Set(projects.flatMap(({ id }) => [`projects/${id}/name.json`, `projects/${id}/assets/a`]));
  const counted = new Set(projects.map(({ id }) => id));
  const erasures: RenderErasure[] = [];
  const state = { log_is_away: false, requests: Number.POSITIVE_INFINITY, is_behind: false, is_folded: true };
  const ask = (): void => {
    state.requests -= 1;
    if (state.requests < 0) throw new Error('killed');
  };
  const { sweeps, step, run } = projectSweeps({
    blobs: {
      list: async (prefix) => {
        ask();
        const found = [...files].filter((path) => path.startsWith(prefix));
        return { found: found.map((path) => ({ path, size_bytes: 10, stored_at: 0 })), next: null };
      },
      remove: async (path) => {
        ask();
        files.delete(path);
      },
    },
    erasedProjects: async (since, from, count) =>
      projects.filter(({ erased, position }) => erased.at >= since && position > (from ?? '')).slice(0, count),
    rendersOf: async (id, from, count) =>
      (renders.get(id) ?? []).filter(({ position }) => position > (from ?? '')).slice(0, count),
    unlistedOf: async (id) => unlisted.get(id) ?? [],
    stored_files: {
      removeAllOfProject: async (id) => {
        ask();
        counted.delete(id);
      },
    },
    catchUp: async () => (state.is_behind ? [{ read_model: 'renders', folded: 1, of: 2 }] : []),
    appendErasure: async (erasure) => {
      ask();
      if (state.log_is_away) return E.left({ tag: 'not_appended', message: 'Kafka is away' });
      erasures.push(erasure);
      if (!state.is_folded) return E.right(null);
      for (const [id, all] of renders)
        renders.set(
          id,
          all.filter((render) => render.id !== erasure.render_id),
        );
      return E.right(null);
    },
    clock,
    warn: () => undefined,
  });
  const pass = async (name: string): Promise<number> => {
    const sweep = sweeps.find((one) => one.name === name);
    let removed = 0;
    for (let from: string | null = null; ; ) {
      const page: SweepPageResult | undefined = await sweep?.page(from, NEVER);
      removed += page?.removed.projects?.removed ?? 0;
      from = page?.next ?? null;
      if (from === null) break;
    }
    for (;;) {
      const done = await step(NEVER);
      if (done === null) return removed;
      removed += done.removed;
    }
  };
  return { clock, renders, unlisted, files, counted, erasures, state, pass, sweeps, step, run };
};

test('renders of an erased project are erased, then its files are deleted', async (t) => {
  const world = openWorld([project('proj_1', 0)], { proj_1: 1_200, proj_2: 1 });
  const { clock, renders, files, counted, erasures, pass } = world;
  files.add('projects/proj_10/name.json');
  const [first] = renders.get('proj_1') ?? [];
  if (first === undefined) return t.fail();
  renders.set('proj_1', [{ ...first, has_ended: false }, ...(renders.get('proj_1') ?? []).slice(1)]);
  await clock.advance(1_000);

  t.is(await pass('erased_lately'), 0);
  t.is(erasures.length, 1_199);
  const by = { actor: 'user:ana', causation_id: 'event of proj_1', correlation_id: null };
  t.deepEqual(erasures[0], { render_id: 'rend_proj_1_1', team_id: null, ...by });
  t.is(files.size, 3);
  t.deepEqual([...counted], ['proj_1'], 'its files still count');

  renders.set('proj_1', [first]);
  t.is(await pass('erased_lately'), 2);
  t.is(erasures.at(-1)?.render_id, first.id);
  t.deepEqual([...files], ['projects/proj_10/name.json']);
  t.is(counted.size, 0);
  t.is(renders.get('proj_2')?.length, 1);

  // Restored files are deleted again.
  files.add('projects/proj_1/thumbnails/1-late.jpg');
  t.is(await pass('erased_lately'), 1);
  t.is(await pass('erased_lately'), 0);
  return undefined;
});

test('files stay while a running render with a pending name needs them', async (t) => {
  const { clock, unlisted, files, erasures, pass } = openWorld([project('proj_1', 0)], { proj_1: 1 });
  unlisted.set('proj_1', [
    { id: 'rend_ended', has_ended: true },
    { id: 'rend_running', has_ended: false },
  ]);
  await clock.advance(1_000);
  t.is(await pass('erased_lately'), 0);
  t.deepEqual(erasures.map(({ render_id }) => render_id).toSorted(), ['rend_ended', 'rend_proj_1_0']);
  t.is(files.size, 2);
  unlisted.delete('proj_1');
  t.is(await pass('erased_lately'), 2);
});

test('unfolded erasures are appended once a day', async (t) => {
  const { clock, erasures, files, state, pass, renders } = openWorld([project('proj_1', 0)], { proj_1: 3 });
  await clock.advance(1_000);
  const passes = async (): Promise<void> => {
    for (let i = 0; i < 3; i += 1) {
      let is_over = false;
      const passing = pass('erased_projects').then(() => {
        is_over = true;
      });
      while (!is_over) await clock.advance(1_000);
      await passing;
    }
  };
  state.is_folded = false;
  await passes();
  t.is(erasures.length, 3);
  await clock.advance(DAY_MS);
  await passes();
  t.is(erasures.length, 6, 'records may be lost');
  renders.clear();
  await passes();
  t.is(files.size, 0);
});

test('older erased projects are checked once a day', async (t) => {
  const many = Array.from({ length: 250 }, (_, n) => project(`proj_${n}`, n));
  const { clock, files, pass } = openWorld(many, { proj_3: 1 });
  await clock.advance(DAY_MS + 1_000);
  t.is(await pass('erased_lately'), 0);
  t.is(files.size, 500);
  t.is(await pass('erased_projects'), 500);
  t.is(files.size, 0);
});

test('while the log is unavailable, files stay and the pass repeats', async (t) => {
  const { files, state, pass } = openWorld([project('proj_1', 0)], { proj_1: 1 });
  state.log_is_away = true;
  await t.throwsAsync(pass('erased_lately'), { message: /rend_proj_1_0 could not be erased: not_appended/ });
  t.is(files.size, 2);
  state.log_is_away = false;
  t.is(await pass('erased_lately'), 2);
});

test('another pass finishes after any interruption', async (t) => {
  for (let requests = 0, is_cut_off = true; is_cut_off; requests += 1) {
    const { renders, files, state, pass } = openWorld([project('proj_1', 0)], { proj_1: 3 });
    state.requests = requests;
    const removed = await pass('erased_lately').catch(() => -1);
    is_cut_off = removed < 2;
    if (renders.get('proj_1')?.length !== 0) t.is(files.size, 2, 'no file is deleted before the last render');
    state.requests = Number.POSITIVE_INFINITY;
    await pass('erased_lately');
    t.deepEqual([renders.get('proj_1')?.length, files.size], [0, 0], `interrupted after ${requests} requests`);
    t.true(requests < 10);
  }
});

test('files of an erased project stay while a restored store lacks renders', async (t) => {
  const { renders, files, state, pass } = openWorld([project('proj_1', 0)], {});
  const before = new Set(files);
  state.is_behind = true;
  for (let n = 1; n <= 2; n += 1) await t.throwsAsync(pass('erased_projects'), { message: /behind/ });
  await pass('erased_projects');
  t.deepEqual(files, before);
  // The fold catches up: it shows a running render, and then its end.
  const late = { id: 'rend_late', position: 'proj_1:1', has_ended: false };
  renders.set('proj_1', [late]);
  state.is_behind = false;
  await pass('erased_projects');
  t.deepEqual(files, before);
  renders.set('proj_1', [{ ...late, has_ended: true }]);
  await pass('erased_projects');
  t.is(files.size, 0);
});
