import test from 'ava';
import { prettyJson, requestHeaders } from '../../../dashboard/source/webhooks/request-text.ts';

test('a payload is shown with line breaks, and other text as it is', (t) => {
  t.is(prettyJson('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}');
  t.is(prettyJson('{"a'), '{"a');
});

test('the headers of a delivery name it and its time, but no signature', (t) => {
  const headers = new Map(
    requestHeaders({ id: 'hook_1', timestamp: 12, last_attempt: null, planned_at: 1_763_741_000_900 }),
  );
  t.is(headers.get('webhook-id'), 'hook_1');
  t.is(headers.get('webhook-timestamp'), '1763741000');
  t.is(headers.get('X-Webhook-Timestamp'), '12');
  t.regex(headers.get('webhook-signature') ?? '', /not stored/);
});
