import test from 'ava';
import type { Document } from 'mongodb';
import { tiersOf } from '../../../read-models/lists.ts';
import { projectRenders } from '../../../read-models/renders/query-fields.ts';

const pipelines = async (search: string | null, order: 'asc' | 'desc', after: string | null) =>
  tiersOf(projectRenders('proj_1', 'ready'), { search, order }).map((tier) => tier(after, 21));

const own = { project_id: 'proj_1', status: 'ready' };
const rest = [{ $limit: 21 }, { $project: { render: 1 } }];

test('a list by date is one range with two ends, in the order of the index', async (t) => {
  const range = (by_project_status: Document, direction: 1 | -1) => [
    [{ $match: { by_project_status } }, { $match: own }, { $sort: { by_project_status: direction } }, ...rest],
  ];
  t.deepEqual(await pipelines(null, 'desc', null), range({ $gte: 'proj_1:ready:0', $lt: 'proj_1:ready:9' }, -1));
  t.deepEqual(
    await pipelines(null, 'desc', '1795rend_1'),
    range({ $gte: 'proj_1:ready:0', $lt: 'proj_1:ready:1795rend_1' }, -1),
  );
  t.deepEqual(await pipelines(null, 'asc', null), range({ $gte: 'proj_1:ready:0', $lt: 'proj_1:ready:9' }, 1));
  t.deepEqual(
    await pipelines(null, 'asc', '1795rend_1'),
    range({ $gt: 'proj_1:ready:1795rend_1', $lt: 'proj_1:ready:9' }, 1),
  );
});

test('a search is three such ranges, each within one token and without what a better one has', async (t) => {
  const range = (token: string, more: Document, after = '9') => [
    { $match: { search: token, position: { $gte: '0', $lt: after } } },
    { $match: { ...more, ...own } },
    { $sort: { position: -1 } },
    ...rest,
  ];
  t.deepEqual(await pipelines('Sale', 'asc', '1795rend_1'), [
    range('proj_1:!sale', {}, '1795rend_1'),
    range('proj_1:=sale', { search: { $ne: 'proj_1:!sale' } }, '1795rend_1'),
    range('proj_1:sale', { search: { $not: { $all: ['proj_1:=sale'] } } }, '1795rend_1'),
  ]);
  const [, whole, prefix] = await pipelines('Sale spring', 'desc', null);
  t.deepEqual(whole, range('proj_1:=spring', { search: { $all: ['proj_1:=sale'], $ne: 'proj_1:!sale spring' } }));
  t.deepEqual(
    prefix,
    range('proj_1:spring', { search: { $all: ['proj_1:sale'], $not: { $all: ['proj_1:=spring', 'proj_1:=sale'] } } }),
  );
  t.deepEqual(await pipelines('!', 'desc', null), []);
});
