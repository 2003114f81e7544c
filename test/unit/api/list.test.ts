import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { Document } from 'mongodb';
import { listOf, type Source, searchable } from '../../../query-api/lists/list.ts';

const sourceFor = (asked: Document[][]): Source<string> => ({
  endpoint: 'renders',
  scope: 'proj_1',
  status: 'ready',
  date: { field: 'by_project_status', prefix: 'proj_1:ready' },
  own: { project_id: 'proj_1', status: 'ready' },
  shown: { render: 1 },
  read: async (pipeline) => {
    asked.push(pipeline);
    return [];
  },
});

const pipelines = async (search: string | null, order: 'asc' | 'desc', after: string | null) => {
  const asked: Document[][] = [];
  for (const tier of listOf(sourceFor(asked), { search, order }).tiers) await tier(after, 21);
  return asked;
};

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

test('order and the spelling of a search belong to no cursor of it', (t) => {
  const identity = (search: string | null, order: 'asc' | 'desc') => listOf(sourceFor([]), { search, order }).identity;
  t.deepEqual(identity('SALE', 'asc'), identity(' sale!', 'desc'));
  t.notDeepEqual(identity('sale', 'asc'), identity('sal', 'asc'));
  t.notDeepEqual(identity(null, 'asc'), identity(null, 'desc'));
  t.notDeepEqual(identity('!', 'desc'), identity(null, 'desc'));
});

test('names that are not prepared for it are not searched, but listed', (t) => {
  const before = { generation: 1, model_version: 1 };
  t.true(E.isRight(searchable({ search: null }, before)));
  t.true(E.isRight(searchable({ search: 'x' }, { generation: 2, model_version: 2 })));
  t.deepEqual(
    searchable({ search: 'x' }, before),
    E.left({
      tag: 'unavailable',
      message: 'search: cannot be used yet, as the names are being prepared for it; leave it out, or try again',
      retry_after_s: 5,
    } as const),
  );
});
