import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import { disableEndpoint } from '../../../webhook-relay/events/disable-endpoint.ts';
import { endpoint } from './_plan.ts';

test('the disabling of an endpoint has the same key as its other events', async (t) => {
  const calls: Parameters<RecordLog['append']>[] = [];
  const append: RecordLog['append'] = async (...call) => {
    calls.push(call);
    return E.right({ partition: 0, offset: 0, append_time_ms: 0 });
  };
  const disable = disableEndpoint({ append }, 'relay:1', () => undefined, SYSTEM_CLOCK);
  await disable(endpoint({ id: 'whe_9' }), 'gone', new AbortController().signal);
  const [[topic, key, record, options] = []] = calls;
  t.deepEqual([topic, key, options], ['catalogue-events', 'whe_9', { partition: 0 }]);
  t.like(record, { type: 'WebhookEndpointDisabled', endpoint_id: 'whe_9', reason: 'gone', enabled_since: 100 });
});
