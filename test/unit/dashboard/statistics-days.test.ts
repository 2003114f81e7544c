import test from 'ava';
import { cancelledOf } from '../../../dashboard/source/overview/statistics-days.ts';

test('cancelled renders have a count of their own', (t) => {
  t.is(cancelledOf({ failures: [] }), 0);
  const failures = [
    { code: 'no_glyph', count: 2 },
    { code: 'cancelled', count: 3 },
  ];
  t.is(cancelledOf({ failures }), 3);
});
