import type { Document } from 'mongodb';
import { searchTokens } from '../../../../domain/search/words.ts';
import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { type Form, type Ground, idsOf, type Stored } from './form.ts';

const SEARCH_TIMEOUT_MS = 3_000;

const NAMES: readonly (readonly [name: string, status: string])[] = [
  ['Summer sale', 'complete'],
  ['Sale', 'failed'],
  ['The summer sale of summers', 'complete'],
  ['Sales in summertime', 'complete'],
  ['Summer', 'complete'],
  ['Été 夏のセール', 'complete'],
  ['Summer sale', 'failed'],
];

const at = (n: number): string => `${1_763_700_000_000 + n}`;

const render = (project_id: string, name: string, status: string, n: number): Stored => ({
  _id: n,
  project_id,
  status,
  position: `${at(n)}rend_${n}`,
  search: [...searchTokens(project_id, name)],
  render: { name },
});

const documents: readonly Stored[] = [
  ...NAMES.map(([name, status], n) => render('proj_1', name, status, n)),
  render('proj_2', 'Summer sale', 'complete', 100),
  { _id: 200, project_id: null, status: null, position: null, search: [], render: null },
];

/**
 * One tier of a search: an equality and a range on one index, then further conditions. For MongoDB both are one
 * `$match`. The embedded store uses no index if the first stage has more than equalities and a range.
 */
const tier = async ({ things }: Ground, within: Document, keep: Document, count = 21) => {
  const pipeline = [
    { $match: within },
    { $match: keep },
    { $sort: { position: -1 as const } },
    { $limit: count },
    { $project: { render: 1, name: 1 } },
  ];
  const time = { ...queryTimeout(SEARCH_TIMEOUT_MS), maxTimeMS: SEARCH_TIMEOUT_MS };
  return idsOf(await things.aggregate<Stored>(pipeline, time).toArray());
};

const everything = { $gte: '0', $lt: '9' };
const own = { project_id: 'proj_1' };
const COMMON = {
  used_by: ['read-models/lists.ts', 'read-models/renders/renders.ts'],
  documents,
  indexes: [{ key: { search: 1 as const, position: 1 as const } }],
};

export const SEARCH_TIERS: readonly Form[] = [
  {
    name: 'the exact name, newest first',
    ...COMMON,
    operation: (ground) => tier(ground, { search: 'proj_1:!summer sale', position: everything }, own),
    expected: [6, 0],
  },
  {
    name: 'the exact name, after a position',
    ...COMMON,
    operation: (ground) =>
      tier(ground, { search: 'proj_1:!summer sale', position: { $gte: '0', $lt: `${at(6)}rend_6` } }, own),
    expected: [0],
  },
  {
    name: 'the exact name, with one status',
    ...COMMON,
    operation: (ground) =>
      tier(ground, { search: 'proj_1:!summer sale', position: everything }, { ...own, status: 'failed' }),
    expected: [6],
  },
  {
    name: 'one whole word, without exact names',
    ...COMMON,
    operation: (ground) =>
      tier(ground, { search: 'proj_1:=sale', position: everything }, { search: { $ne: 'proj_1:!sale' }, ...own }),
    expected: [6, 2, 0],
  },
  {
    name: 'several whole words, without exact names',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:=summer', position: everything },
        { search: { $all: ['proj_1:=sale'], $ne: 'proj_1:!summer sale' }, ...own },
      ),
    expected: [2],
  },
  {
    name: 'several whole words, without exact names, with one status',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:=summer', position: everything },
        { search: { $all: ['proj_1:=sale', 'proj_1:=of'], $ne: 'proj_1:!summer sale of' }, ...own, status: 'failed' },
      ),
    expected: [],
  },
  {
    name: 'one prefix of a word, without whole words',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:summer', position: everything },
        { search: { $not: { $all: ['proj_1:=summer'] } }, ...own },
      ),
    expected: [3],
  },
  {
    name: 'one prefix of a word, with whole words, newest first',
    ...COMMON,
    operation: (ground) => tier(ground, { search: 'proj_1:sale', position: everything }, own),
    expected: [6, 3, 2, 1, 0],
  },
  {
    name: 'several prefixes of words, with whole words, with one status',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:summer', position: everything },
        { search: { $all: ['proj_1:sal'] }, ...own, status: 'complete' },
      ),
    expected: [3, 2, 0],
  },
  {
    name: 'several prefixes of words, without whole matches',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:summer', position: everything },
        { search: { $all: ['proj_1:sal'], $not: { $all: ['proj_1:=summer', 'proj_1:=sal'] } }, ...own },
        2,
      ),
    expected: [6, 3],
  },
  {
    name: 'several prefixes without whole matches, after a position, with one status',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:su', position: { $gte: '0', $lt: `${at(3)}rend_3` } },
        {
          search: { $all: ['proj_1:sal'], $not: { $all: ['proj_1:=su', 'proj_1:=sal'] } },
          ...own,
          status: 'complete',
        },
      ),
    expected: [2, 0],
  },
  {
    name: 'one whole word, without exact names, with one status',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:=sale', position: everything },
        { search: { $ne: 'proj_1:!sale' }, ...own, status: 'failed' },
      ),
    expected: [6],
  },
  {
    name: 'one prefix of a word, without whole words, with one status',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:sal', position: everything },
        { search: { $not: { $all: ['proj_1:=sal'] } }, ...own, status: 'failed' },
      ),
    expected: [6, 1],
  },
  {
    name: 'words of any script',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:夏', position: everything },
        { search: { $not: { $all: ['proj_1:=夏'] } }, ...own },
      ),
    expected: [5],
  },
  {
    name: 'a prefix without matches',
    ...COMMON,
    operation: (ground) =>
      tier(
        ground,
        { search: 'proj_1:winter', position: everything },
        { search: { $not: { $all: ['proj_1:=winter'] } }, ...own },
      ),
    expected: [],
  },
  ...[
    { name: 'projects: the exact name', within: 'team_1:!sale', keep: {}, expected: [1] },
    { name: 'projects: one whole word', within: 'team_1:=sale', keep: { $ne: 'team_1:!sale' }, expected: [2] },
    {
      name: 'projects: several whole words',
      within: 'team_1:=summer',
      keep: { $all: ['team_1:=sale'], $ne: 'team_1:!summer sale' },
      expected: [],
    },
    {
      name: 'projects: a prefix of a word',
      within: 'team_1:sal',
      keep: { $not: { $all: ['team_1:=sal'] } },
      expected: [2, 1],
    },
    {
      name: 'projects: several prefixes of words',
      within: 'team_1:sum',
      keep: { $all: ['team_1:sal'], $not: { $all: ['team_1:=sum', 'team_1:=sal'] } },
      expected: [2],
    },
  ].map(
    ({ name, within, keep, expected }): Form => ({
      name,
      used_by: ['read-models/catalogue/catalogue.ts'],
      documents: ['Sale', 'Summer sale'].map((project, i) => ({
        _id: i + 1,
        team_id: 'team_1',
        position: `${at(i)}proj_${i}`,
        search: [...searchTokens('team_1', project)],
      })),
      indexes: [{ key: { search: 1, position: 1 } }],
      operation: async ({ things }) => {
        const pipeline = [
          { $match: { search: within, position: everything } },
          { $match: { ...(Object.keys(keep).length === 0 ? {} : { search: keep }), team_id: 'team_1' } },
          { $sort: { position: -1 as const } },
          { $limit: 21 },
          { $project: { search: 0 } },
        ];
        const time = { ...queryTimeout(SEARCH_TIMEOUT_MS), maxTimeMS: SEARCH_TIMEOUT_MS };
        return idsOf(await things.aggregate<Stored>(pipeline, time).toArray());
      },
      expected,
    }),
  ),
];
