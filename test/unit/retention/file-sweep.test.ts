import test from 'ava';
import type { ProjectFilesSnapshot } from '../../../read-models/catalogue/project-files.ts';
import { projectFileSweep } from '../../../retention/projects/file-sweep.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const DAY_MS = 86_400_000;
const NEVER = new AbortController().signal;

const ulid = (n: number): string => `01JD000000000000000000000${n}`;

const at = (project_id: string) => ({
  name: (n: number) => `projects/${project_id}/name-${ulid(n)}.json`,
  document: (version: number, n: number) => `projects/${project_id}/documents/${version}-${ulid(n)}.json`,
  thumbnail: (n: number) => `projects/${project_id}/thumbnails/1-${ulid(n)}.jpg`,
});
const [own, never, old, gone] = [at('proj_own'), at('proj_never'), at('proj_old'), at('proj_gone')];

const NAMED = [own.name(1), own.document(1, 1), own.thumbnail(2), 'projects/proj_own/assets/aa'];
/** Files that the catalogue does not know, and files that belong to another sweep. */
const LEFT_ALONE = [
  at('proj_new').thumbnail(1),
  old.name(1),
  old.document(1, 1),
  old.thumbnail(1),
  gone.name(1),
  gone.document(9, 1),
];
const LEFT_OVER = [
  ...[own.name(2), own.document(1, 2), own.document(2, 1), own.thumbnail(1)],
  ...[never.name(1), never.document(1, 1), never.thumbnail(1)],
];

const FOLDED: ProjectFilesSnapshot = {
  next: 7,
  projects: new Map([
    [
      'proj_own',
      { is_erased: false, version: 1, name: own.name(1), thumbnail: { path: own.thumbnail(2), made_at: 0 } },
    ],
    ['proj_old', { is_erased: false, version: 1, name: null, thumbnail: null }],
    [
      'proj_new',
      {
        is_erased: false,
        version: 1,
        name: null,
        thumbnail: { path: at('proj_new').thumbnail(2), made_at: 99 * DAY_MS },
      },
    ],
    ['proj_gone', { is_erased: true, version: 1, name: null, thumbnail: null }],
  ]),
  documents: new Map([
    ['proj_own:1', own.document(1, 1)],
    ['proj_old:1', null],
  ]),
};

const sweepOf = async (end: number, age_ms: number) => {
  const clock = virtualClock();
  await clock.advance(100 * DAY_MS);
  const removed: string[] = [];
  const sweep = projectFileSweep({
    blobs: {
      list: async () => ({
        found: [...NAMED, ...LEFT_ALONE, ...LEFT_OVER].map((path) => ({
          ...{ path, size_bytes: 1, stored_at: clock.now() - age_ms },
        })),
        next: null,
      }),
      remove: async (path) => {
        removed.push(path);
      },
    },
    catalogueEnd: async () => end,
    foldedFiles: async () => FOLDED,
    ...{ leftovers_ms: DAY_MS, time: { now: async () => clock.now() }, warn: () => undefined },
  });
  return { page: () => sweep.page(null, NEVER), removed };
};

test('unreferenced project files and replaced thumbnails are deleted', async (t) => {
  const { page, removed } = await sweepOf(7, DAY_MS + 1);
  const { removed: told } = await page();
  t.deepEqual(removed.toSorted(), LEFT_OVER.toSorted());
  t.is(told.projects?.removed, LEFT_OVER.length);
});

test('young files stay, and all files while the catalogue lags', async (t) => {
  const young = await sweepOf(7, DAY_MS - 1);
  await young.page();
  t.deepEqual(young.removed, []);
  const behind = await sweepOf(8, 2 * DAY_MS);
  await t.throwsAsync(behind.page(), { message: 'the catalogue is folded up to 7 of 8' });
  t.deepEqual(behind.removed, []);
});
