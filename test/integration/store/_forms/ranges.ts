import type { Document } from 'mongodb';
import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { type Form, type Ground, idsOf, type Stored } from './form.ts';

const at = (n: number): string => String(1_763_700_000_000 + n).padStart(13, '0');
const position = (created_at: number, id: string): string => `${at(created_at)}${id}`;

const render = (project_id: string, id: string, created_at: number, status: string): Stored => ({
  _id: id,
  project_id,
  status,
  by_project: `${project_id}:${position(created_at, id)}`,
  by_project_status: `${project_id}:${status}:${position(created_at, id)}`,
  render: { id, template_id: status === 'failed' ? 'tpl_2' : 'tpl_1' },
});

/**
 * Neighbouring ids: `proj_1` is a prefix of the next two, and the last one's strings lie between those of `proj_1`.
 */
const renders: readonly Stored[] = [
  render('proj_1', 'rend_a', 3, 'complete'),
  render('proj_1', 'rend_b', 1, 'failed'),
  render('proj_1', 'rend_c', 2, 'complete'),
  render('proj_1', 'rend_d', 2, 'complete'),
  render('proj_10', 'rend_e', 2, 'complete'),
  render('proj_1z', 'rend_f', 2, 'complete'),
  render('proj_0', 'rend_g', 9, 'complete'),
  render('proj_1:0', 'rend_h', 2, 'complete'),
  { _id: 'rend_none', status: null, by_project: null, by_project_status: null, render: null },
];

const projects: readonly Stored[] = [1, 2, 3, 4].map((n) => {
  const team_id = n === 4 ? 'team_11' : 'team_1';
  return { _id: `proj_${n}`, team_id, by_team: `${team_id}:${position(n, `proj_${n}`)}`, search: [`${team_id}:x`] };
});

/** A page: a range on one index, further conditions, the order of the index, and a limit. */
const page = async (
  { things }: Ground,
  within: Document,
  keep: Document,
  sort: Readonly<Record<string, 1 | -1>>,
  count = 21,
  shown: Document = { render: 1, name: 1 },
): Promise<readonly (string | number)[]> => {
  const pipeline = [{ $match: within }, { $match: keep }, { $sort: sort }, { $limit: count }, { $project: shown }];
  return idsOf(await things.aggregate<Stored>(pipeline, queryTimeout()).toArray());
};

const OF_RENDERS = {
  used_by: ['read-models/renders/renders.ts', 'read-models/lists.ts'],
  documents: renders,
  indexes: [
    { key: { by_project: 1 as const } },
    { key: { by_project_status: 1 as const } },
    { key: { 'render.template_id': 1 as const, by_project: 1 as const } },
  ],
};
const OF_PROJECTS = {
  used_by: ['read-models/catalogue/catalogue.ts'],
  documents: projects,
  indexes: [{ key: { by_team: 1 as const } }],
};
const complete = { project_id: 'proj_1', status: 'complete' };

export const RANGES: readonly Form[] = [
  {
    name: "renders in a project's list, oldest first, after a position",
    used_by: ['read-models/renders/project-renders.ts'],
    documents: renders,
    indexes: [{ key: { by_project: 1 } }],
    operation: async ({ things }) => {
      const from = `proj_1:${position(1, 'rend_b')}`;
      const found = await things
        .find(
          { by_project: { $gt: from, $lt: 'proj_1:9' }, project_id: 'proj_1' },
          { projection: { status: 1, by_project: 1 }, ...queryTimeout() },
        )
        .sort({ by_project: 1 })
        .limit(2)
        .toArray();
      return found.map(({ _id, status }) => [_id, status]);
    },
    expected: [
      ['rend_c', 'complete'],
      ['rend_d', 'complete'],
    ],
  },
  {
    name: 'erased projects in the order of their erasure, after a position',
    used_by: ['read-models/catalogue/erased-entities.ts'],
    documents: [
      ...projects,
      ...[9, 7, 8].map((n) => ({ _id: `proj_${n}`, by_erased: position(n, `proj_${n}`), search: [] })),
    ],
    indexes: [{ key: { by_erased: 1 }, sparse: true }],
    operation: async ({ things }) => {
      const found = things.find({ by_erased: { $gt: position(7, 'proj_7') } }, queryTimeout());
      return (await found.sort({ by_erased: 1 }).limit(2).toArray()).map(({ _id }) => _id);
    },
    expected: ['proj_8', 'proj_9'],
  },
  {
    name: 'renders of a project, newest first',
    ...OF_RENDERS,
    operation: (ground) =>
      page(ground, { by_project: { $gte: 'proj_1:0', $lt: 'proj_1:9' } }, { project_id: 'proj_1' }, { by_project: -1 }),
    expected: ['rend_a', 'rend_d', 'rend_c', 'rend_b'],
  },
  {
    name: 'renders of a project, newest first, after a position',
    ...OF_RENDERS,
    operation: (ground) => {
      const after = `proj_1:${position(2, 'rend_d')}`;
      return page(
        ground,
        { by_project: { $gte: 'proj_1:0', $lt: after } },
        { project_id: 'proj_1' },
        { by_project: -1 },
        1,
      );
    },
    expected: ['rend_c'],
  },
  {
    name: 'renders of a project, oldest first',
    ...OF_RENDERS,
    operation: (ground) =>
      page(
        ground,
        { by_project: { $gte: 'proj_1:0', $lt: 'proj_1:9' } },
        { project_id: 'proj_1' },
        { by_project: 1 },
        3,
      ),
    expected: ['rend_b', 'rend_c', 'rend_d'],
  },
  {
    name: 'renders of a project, oldest first, after a position',
    ...OF_RENDERS,
    operation: (ground) => {
      const after = `proj_1:${position(2, 'rend_c')}`;
      return page(ground, { by_project: { $gt: after, $lt: 'proj_1:9' } }, { project_id: 'proj_1' }, { by_project: 1 });
    },
    expected: ['rend_d', 'rend_a'],
  },
  {
    name: 'renders of a project with one status, newest first',
    ...OF_RENDERS,
    operation: (ground) =>
      page(
        ground,
        { by_project_status: { $gte: 'proj_1:complete:0', $lt: 'proj_1:complete:9' } },
        complete,
        { by_project_status: -1 },
        2,
      ),
    expected: ['rend_a', 'rend_d'],
  },
  {
    name: 'renders of a project with one status, oldest first',
    ...OF_RENDERS,
    operation: (ground) =>
      page(ground, { by_project_status: { $gte: 'proj_1:complete:0', $lt: 'proj_1:complete:9' } }, complete, {
        by_project_status: 1,
      }),
    expected: ['rend_c', 'rend_d', 'rend_a'],
  },
  {
    name: 'renders of a project with one status, oldest first, after a position',
    ...OF_RENDERS,
    operation: (ground) => {
      const after = `proj_1:complete:${position(2, 'rend_c')}`;
      return page(ground, { by_project_status: { $gt: after, $lt: 'proj_1:complete:9' } }, complete, {
        by_project_status: 1,
      });
    },
    expected: ['rend_d', 'rend_a'],
  },
  ...([-1, 1] as const).map(
    (direction): Form => ({
      name: `renders of a template, ${direction === 1 ? 'oldest' : 'newest'} first`,
      ...OF_RENDERS,
      operation: async (ground) => {
        const all = { by_project: { $gte: 'proj_1:0', $lt: 'proj_1:9' } };
        const of = { project_id: 'proj_1', 'render.template_id': 'tpl_1' };
        const order = { by_project: direction };
        return [
          await page(ground, all, of, order),
          await page(ground, all, { ...of, status: 'failed' }, order),
          await page(ground, all, { ...of, status: 'complete' }, order, 2),
        ];
      },
      expected:
        direction === 1
          ? [['rend_c', 'rend_d', 'rend_a'], [], ['rend_c', 'rend_d']]
          : [['rend_a', 'rend_d', 'rend_c'], [], ['rend_a', 'rend_d']],
    }),
  ),
  {
    name: 'renders of a project without renders',
    ...OF_RENDERS,
    operation: (ground) =>
      page(ground, { by_project: { $gte: 'proj_:0', $lt: 'proj_:9' } }, { project_id: 'proj_' }, { by_project: -1 }),
    expected: [],
  },
  {
    name: 'a page with only the requested field',
    ...OF_RENDERS,
    operation: ({ things }) =>
      things
        .aggregate([
          { $match: { by_project: { $gte: 'proj_1:0', $lt: 'proj_1:9' } } },
          { $match: { project_id: 'proj_1' } },
          { $sort: { by_project: -1 } },
          { $limit: 1 },
          { $project: { render: 1, name: 1 } },
        ])
        .toArray(),
    expected: [{ _id: 'rend_a', render: { id: 'rend_a', template_id: 'tpl_1' } }],
  },
  {
    name: 'projects of a team, newest first',
    ...OF_PROJECTS,
    operation: (ground) =>
      page(ground, { by_team: { $gte: 'team_1:0', $lt: 'team_1:9' } }, { team_id: 'team_1' }, { by_team: -1 }, 21, {
        search: 0,
      }),
    expected: ['proj_3', 'proj_2', 'proj_1'],
  },
  {
    name: 'projects of a team, oldest first',
    ...OF_PROJECTS,
    operation: (ground) =>
      page(ground, { by_team: { $gte: 'team_1:0', $lt: 'team_1:9' } }, { team_id: 'team_1' }, { by_team: 1 }, 21, {
        search: 0,
      }),
    expected: ['proj_1', 'proj_2', 'proj_3'],
  },
  {
    name: 'projects of a team, oldest first, after a position',
    ...OF_PROJECTS,
    operation: (ground) => {
      const after = `team_1:${position(2, 'proj_2')}`;
      return page(ground, { by_team: { $gt: after, $lt: 'team_1:9' } }, { team_id: 'team_1' }, { by_team: 1 }, 21, {
        search: 0,
      });
    },
    expected: ['proj_3'],
  },
];
