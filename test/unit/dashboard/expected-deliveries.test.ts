import test from 'ava';
import { expectedTest, withExpected } from '../../../dashboard/source/webhooks/expected-deliveries.ts';

const delivery = (id: string, at: number) => expectedTest(id, 'whe_1', 'render.complete', at);

test('a requested delivery is shown at once, and only once when it is listed', (t) => {
  const [sent, old] = [delivery('hook_new', 10), delivery('hook_old', 5)];
  t.deepEqual(withExpected([old], [sent]), [sent, old]);
  t.deepEqual(withExpected([{ ...sent, state: 'succeeded' }, old], [sent]), [{ ...sent, state: 'succeeded' }, old]);
  t.deepEqual(withExpected([], [sent]), [sent]);
});

test('a requested delivery leaves the first page with the others of its time', (t) => {
  const newer = delivery('hook_newer', 20);
  t.deepEqual(withExpected([newer], [delivery('hook_new', 10)]), [newer]);
});
