import test from 'ava';
import { changedKeys } from '../../../dashboard/source/live/changed-keys.ts';

const first = (type: 'render' | 'endpoint' | 'team', id: string) => changedKeys({ type, id }).map(([name]) => name);

test('a change of a render refetches only that render', (t) => {
  t.true(changedKeys({ type: 'render', id: 'rend_1' }).some(([name, id]) => name === 'render' && id === 'rend_1'));
  t.false(first('render', 'rend_1').includes('endpoint'));
});

test('changes of endpoints and teams refetch the pages that show them', (t) => {
  for (const name of ['deliveries', 'delivery', 'endpoint', 'endpoints'])
    t.true(first('endpoint', 'whe_1').includes(name));
  for (const name of ['me', 'endpoint', 'keys', 'members', 'audit']) t.true(first('team', 'team_1').includes(name));
});
