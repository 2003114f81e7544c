import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { ProjectListQuery } from '../../../schemas/http/public/projects.ts';
import { RenderListQuery } from '../../../schemas/http/public/renders.ts';

const ofRenders = (query: string) => RenderListQuery.decode(new URLSearchParams(`project_id=proj_1&${query}`));

test('an empty query means the first page of twenty, newest first', (t) => {
  const plain = { limit: 20, cursor: null, search: null, order: 'desc' } as const;
  t.deepEqual(
    ofRenders(''),
    E.right({ project_id: 'proj_1', status: null, template_id: null, since: null, until: null, ...plain }),
  );
  t.deepEqual(ofRenders('search=&cursor=&unknown=1'), ofRenders(''));
  t.deepEqual(ofRenders('search=%20%09'), ofRenders(''));
  t.deepEqual(ProjectListQuery.decode(new URLSearchParams('')), E.right({ team_id: null, ...plain }));
});

test('every parameter is read', (t) => {
  const asked = { limit: 7, cursor: 'AbC', search: ' Été ', order: 'asc' } as const;
  const query = 'limit=7&cursor=AbC&search=%20%C3%89t%C3%A9+&order=asc';
  t.deepEqual(
    ofRenders(`${query}&status=ready&template_id=tpl_1&since=5&until=9`),
    E.right({ project_id: 'proj_1', status: 'ready' as const, template_id: 'tpl_1', since: 5, until: 9, ...asked }),
  );
  t.deepEqual(
    ProjectListQuery.decode(new URLSearchParams(`${query}&team_id=team_1`)),
    E.right({ team_id: 'team_1', ...asked }),
  );
});

test('a limit above 60 is 60, however large', (t) => {
  const limits: readonly (readonly [string, number])[] = [
    ['1', 1],
    ['59', 59],
    ['60', 60],
    ['61', 60],
    ['007', 7],
    ['9007199254740993', 60],
    ['9'.repeat(1_000), 60],
    [`${'0'.repeat(1_000)}5`, 5],
  ];
  for (const [text, limit] of limits) {
    const decoded = ofRenders(`limit=${text}`);
    t.is(E.isRight(decoded) ? decoded.right.limit : null, limit, text);
  }
});

const left = (param: string, message: string) => E.left({ code: 'invalid_parameter' as const, param, message });

test('an invalid parameter is named', (t) => {
  const faults: readonly (readonly [string, string])[] = [
    ...['', '0', '00', '-1', '1.5', '1e1', '0x10', ' 1', '1 ', 'ten', '١', 'NaN', 'Infinity'].map(
      (text) => [`limit=${encodeURIComponent(text)}`, 'limit: must be a whole number, 1 or more'] as const,
    ),
    ['order=', 'order: must be asc or desc'],
    ['order=ASC', 'order: must be asc or desc'],
    ['order=up&search=x', 'order: must be asc or desc'],
    ['status=', 'status: must be one of initializing, ready, queued, processing, finalizing, complete, failed'],
    ['status=done', 'status: must be one of initializing, ready, queued, processing, finalizing, complete, failed'],
    ['status=toString', 'status: must be one of initializing, ready, queued, processing, finalizing, complete, failed'],
    [`search=${'x'.repeat(251)}`, 'search: must have at most 250 characters'],
    [`search=${encodeURIComponent('🎬'.repeat(251))}`, 'search: must have at most 250 characters'],
  ];
  for (const [query, fault] of faults) t.deepEqual(ofRenders(query), left(fault.split(':')[0] ?? '', fault), query);
  t.true(E.isRight(ofRenders(`search=${encodeURIComponent('🎬'.repeat(250))}`)));
  t.deepEqual(
    RenderListQuery.decode(new URLSearchParams('limit=0&order=up')),
    left(
      'project_id',
      'project_id: is required, as a query parameter; limit: must be a whole number, 1 or more; order: must be asc or desc',
    ),
  );
  t.deepEqual(
    RenderListQuery.decode(new URLSearchParams('project_id=')),
    left('project_id', 'project_id: must be at least 1 character'),
  );
  t.deepEqual(
    ProjectListQuery.decode(new URLSearchParams('team_id=')),
    left('team_id', 'team_id: must be at least 1 character'),
  );
});

test('the first of a repeated parameter counts', (t) => {
  t.deepEqual(ofRenders('limit=5&limit=x&project_id=proj_2'), ofRenders('limit=5'));
});

test('any query is decoded or refused in bounded time', (t) => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('1', 'asc', 'ready', ''));
  const query = fc.record(
    { project_id: value, limit: value, cursor: value, search: value, status: value, order: value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(query, (given) => {
      const decoded = RenderListQuery.decode(new URLSearchParams(Object.entries(given)));
      if (E.isLeft(decoded)) t.true(decoded.left.message.length < 500);
      else t.true(decoded.right.limit >= 1 && decoded.right.limit <= 60);
    }),
  );
});
