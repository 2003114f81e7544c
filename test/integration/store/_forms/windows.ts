import type { Document } from 'mongodb';
import { searchTokens } from '../../../../domain/search/words.ts';
import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { type Form, type Ground, idsOf, type Stored } from './form.ts';

/** Parts of lists between two positions, and the levels of the skip lists over them. */

const SEARCH_TIMEOUT_MS = 3_000;

const position = (n: number): string => `${1_763_700_000_000 + Math.floor(n / 2)}thing_${n}`;

/**
 * Every second position has a skip-list level. Documents of the neighbouring scopes `10` and `1#1` have the same levels
 * and times as those of `1`.
 */
const documents: readonly Stored[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((n) =>
  ['1', '10', '1#1'].map((scope): Stored => {
    const status = n === 5 ? 'failed' : 'complete';
    const tokens = searchTokens(`proj_${scope}`, 'Sale');
    const skips = {
      by_project_skip: `proj_${scope}#1:${position(n)}`,
      by_project_status_skip: `proj_${scope}:${status}#1:${position(n)}`,
      by_team_skip: `team_${scope}#1:${position(n)}`,
      by_team_status_skip: `team_${scope}:${status}#1:${position(n)}`,
      search: [...tokens, `proj_${scope}:#1=sale`],
    };
    return {
      _id: scope === '1' ? n : `${scope} ${n}`,
      ...{ project_id: `proj_${scope}`, team_id: `team_${scope}`, status, position: position(n) },
      render: { n, team_id: `team_${scope}`, template_id: n === 5 ? 'tpl_2' : 'tpl_1' },
      by_project: `proj_${scope}:${position(n)}`,
      by_project_status: `proj_${scope}:${status}:${position(n)}`,
      by_team: `team_${scope}:${position(n)}`,
      by_team_status: `team_${scope}:${status}:${position(n)}`,
      search: tokens,
      ...(n % 2 === 1 ? skips : {}),
    };
  }),
);

const LISTS = [
  {
    used_by: ['read-models/embedded/read-in-windows.ts', 'read-models/renders/renders.ts'],
    ...{ what: 'renders of a project', field: 'by_project', prefix: 'proj_1' },
    ...{ own: { project_id: 'proj_1' }, shown: { render: 1, name: 1 } },
    has: (_: number) => true,
  },
  {
    used_by: ['read-models/embedded/read-in-windows.ts', 'read-models/renders/renders.ts'],
    ...{ what: 'renders of a template', field: 'by_project', prefix: 'proj_1' },
    ...{ own: { project_id: 'proj_1', 'render.template_id': 'tpl_1' }, shown: { render: 1, name: 1 } },
    has: (n: number) => n !== 5,
  },
  {
    used_by: ['read-models/embedded/read-in-windows.ts', 'read-models/renders/renders.ts'],
    ...{ what: 'renders of a template with one status', field: 'by_project', prefix: 'proj_1' },
    own: { project_id: 'proj_1', status: 'complete', 'render.template_id': 'tpl_1' },
    ...{ shown: { render: 1, name: 1 }, has: (n: number) => n !== 5 },
  },
  {
    used_by: ['read-models/embedded/read-in-windows.ts', 'read-models/renders/renders.ts'],
    ...{ what: 'renders of a project with one status', field: 'by_project_status', prefix: 'proj_1:complete' },
    ...{ own: { project_id: 'proj_1', status: 'complete' }, shown: { render: 1, name: 1 } },
    has: (n: number) => n !== 5,
  },
  {
    used_by: ['read-models/embedded/read-in-windows.ts', 'read-models/renders/renders.ts'],
    ...{ what: 'renders of a team with one status', field: 'by_team_status', prefix: 'team_1:complete' },
    ...{ own: { 'render.team_id': 'team_1', status: 'complete' }, shown: { render: 1, name: 1 } },
    has: (n: number) => n !== 5,
  },
  {
    used_by: ['read-models/embedded/read-in-windows.ts', 'read-models/catalogue/catalogue.ts'],
    ...{ what: 'projects of a team', field: 'by_team', prefix: 'team_1' },
    ...{ own: { team_id: 'team_1' }, shown: { search: 0 } },
    has: (_: number) => true,
  },
];

const read = async ({ things }: Ground, pipeline: Document[], time: object = queryTimeout()) =>
  idsOf(await things.aggregate<Stored>(pipeline, time).toArray());

const ranges = (prefix: string): readonly (readonly [1 | -1, Document, readonly number[]])[] => [
  [1, { $gte: `${prefix}0`, $lte: `${prefix}${position(3)}` }, [0, 1, 2, 3]],
  [1, { $gt: `${prefix}${position(3)}`, $lte: `${prefix}${position(6)}` }, [4, 5, 6]],
  [1, { $gt: `${prefix}${position(6)}`, $lt: `${prefix}9` }, [7, 8, 9]],
  [1, { $gte: `${prefix}0`, $lt: `${prefix}9` }, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  [-1, { $gte: `${prefix}${position(6)}`, $lt: `${prefix}9` }, [9, 8, 7, 6]],
  [-1, { $gte: `${prefix}${position(3)}`, $lt: `${prefix}${position(6)}` }, [5, 4, 3]],
  [-1, { $gte: `${prefix}0`, $lt: `${prefix}${position(3)}` }, [2, 1, 0]],
];

const page = (within: Document, keep: Document, sort: Document, shown: Document): Document[] => [
  ...[{ $match: within }, { $match: keep }, { $sort: sort }, { $limit: 1_000 }, { $project: shown }],
];

const byDate = LISTS.flatMap(({ what, field, prefix, own, shown, has, used_by }): readonly Form[] => {
  const each = (ground: Ground, indexed: string, before: string, show: Document) =>
    Promise.all(
      ranges(before).map(([order, range]) => read(ground, page({ [indexed]: range }, own, { [indexed]: order }, show))),
    );
  const expected = ranges('').map(([, , numbers]) => numbers.filter(has));
  const indexes = [{ key: { [field]: 1 as const } }, { key: { [`${field}_skip`]: 1 as const }, sparse: true }];
  return [
    {
      name: `${what}: between two positions, oldest and newest first`,
      ...{ used_by, documents, indexes, expected },
      operation: (ground) => each(ground, field, `${prefix}:`, shown),
    },
    {
      name: `${what}: those of a level between two positions, by a sparse index`,
      ...{ used_by, documents, indexes },
      operation: (ground) => each(ground, `${field}_skip`, `${prefix}#1:`, { position: 1 }),
      expected: expected.map((numbers) => numbers.filter((n) => n % 2 === 1)),
    },
  ];
});

const bySearch = [
  ...[{ project_id: 'proj_1' }, { project_id: 'proj_1', status: 'complete' }, { team_id: 'team_1' }],
  { project_id: 'proj_1', 'render.template_id': 'tpl_1' },
  { project_id: 'proj_1', status: 'complete', 'render.template_id': 'tpl_1' },
].map(
  (own): Form => ({
    name: `a search: between two positions, and those of a level, of ${Object.keys(own).join(' and ')}`,
    used_by: ['read-models/embedded/read-in-windows.ts'],
    documents,
    indexes: [{ key: { search: 1, position: 1 } }],
    operation: (ground) =>
      Promise.all(
        ['proj_1:=sale', 'proj_1:#1=sale'].flatMap((search) =>
          ranges('')
            .filter(([order]) => order === -1)
            .map(([, range]) => {
              const time = { ...queryTimeout(SEARCH_TIMEOUT_MS), maxTimeMS: SEARCH_TIMEOUT_MS };
              return read(ground, page({ search, position: range }, own, { position: -1 }, { position: 1 }), time);
            }),
        ),
      ),
    expected: [(_: number) => true, (n: number) => n % 2 === 1].flatMap((isOfLevel) =>
      ranges('')
        .filter(([order]) => order === -1)
        .map(([, , numbers]) =>
          numbers.filter((n) => isOfLevel(n) && (n !== 5 || !('status' in own || 'render.template_id' in own))),
        ),
    ),
  }),
);

export const WINDOWS: readonly Form[] = [...byDate, ...bySearch];
