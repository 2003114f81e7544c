import test from 'ava';
import type { WebhookEvent } from '../../../domain/webhooks/delivery-events.ts';
import { openCatalogueChanges } from '../../../management-api/live/catalogue-changes.ts';
import { isEventStored, openDeliveryChanges } from '../../../management-api/live/delivery-changes.ts';
import type { Announcement } from '../../../management-api/live/listeners.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import { metaBy } from '../../helpers/render-events.ts';

/** Sleeps take no time. */
const clock = { ...SYSTEM_CLOCK, sleep: async () => undefined };
const stopping = new AbortController().signal;
const warn = (): void => undefined;

const listening = () => {
  const said: (Announcement | 'reset')[] = [];
  return {
    said,
    listeners: {
      count: 1,
      hears: () => true,
      announce: (one: Announcement) => void said.push(one),
      resetAll: () => void said.push('reset'),
    },
  };
};

const entry = (offset: number, account_id: string | null, team_ids: readonly string[]) => ({
  ...{ topic: 'catalogue-events', partition: 0, offset, at: 1, actor: 'user:user_1', event_id: `event_${offset}` },
  ...({ kind: 'TeamRenamed', account_id, team_ids, refused: null, ids: {}, details: {} } as const),
});

test('a change of the catalogue is announced only after its fold', async (t) => {
  const { said, listeners } = listening();
  let looks = 0;
  const changes = openCatalogueChanges({
    ...{ listeners, clock, warn, stopping },
    read_model: {
      outcomeOf: async () => {
        looks += 1;
        t.deepEqual(said, []);
        return looks < 3 ? null : { tag: 'accepted' };
      },
    },
    audit: { ofCatalogue: async (offset) => entry(offset, 'acc_1', ['team_1', 'team_2']) },
  });
  changes.appended(7);
  await changes.idle();
  const of = (team_id: string) => ({ type: 'team', id: team_id, account_id: 'acc_1', team_id });
  t.deepEqual<unknown, unknown>(said, [of('team_1'), of('team_2')]);
});

test('refused changes and those of no account are not announced', async (t) => {
  const { said, listeners } = listening();
  const changes = openCatalogueChanges({
    ...{ listeners, clock, warn, stopping },
    read_model: { outcomeOf: async (offset) => (offset === 1 ? { tag: 'ignored', reason: 'x' } : { tag: 'accepted' }) },
    audit: { ofCatalogue: async (offset) => (offset === 3 ? entry(3, 'acc_1', []) : entry(offset, null, [])) },
  });
  for (const offset of [1, 2, 3]) changes.appended(offset);
  await changes.idle();
  t.deepEqual<unknown, unknown>(said, [{ type: 'account', id: 'acc_1', account_id: 'acc_1', team_id: null }]);
});

test('too many waiting changes become one reset, after the fold', async (t) => {
  const { said, listeners } = listening();
  const changes = openCatalogueChanges({
    ...{ listeners, clock, warn, stopping },
    read_model: { outcomeOf: async () => ({ tag: 'accepted' }) },
    audit: { ofCatalogue: async (offset) => entry(offset, 'acc_1', []) },
  });
  for (let offset = 0; offset < 600; offset += 1) changes.appended(offset);
  await changes.idle();
  t.is(said.filter((one) => one === 'reset').length, 1);
  t.true(said.length < 150);
});

const about = { meta: metaBy('relay:relay_1'), delivery_id: 'hook_1', endpoint_id: 'whe_1', render_id: 'rend_1' };
const PLANNED: WebhookEvent = {
  ...{ type: 'DeliveryPlanned', ...about, team_id: 'team_1', seq: 0, event: 'render.complete' },
  ...{ status_offset: null, repeats: null },
};
const SUCCEEDED: WebhookEvent = { type: 'DeliverySucceeded', ...about, attempts: 1 };
const PENDING: WebhookDeliveryDocument = {
  ...{ _id: 'hook_1', endpoint_id: 'whe_1', team_id: 'team_1', render_id: 'rend_1', seq: 0, event: 'render.complete' },
  ...{ partition: 0, status_offset: null, repeats: null, repeated_by: null, planned_at: 1, state: 'pending' },
  ...{
    reason: null,
    body: '{}',
    body_sha256: 'aa',
    timestamp: 1,
    attempts: [],
    by_endpoint: 'whe_1/1',
    ended_at: null,
  },
};

test('an event of a delivery is stored when the document has its effect', (t) => {
  t.false(isEventStored(PLANNED, null));
  t.true(isEventStored(PLANNED, PENDING));
  t.false(isEventStored(SUCCEEDED, PENDING));
  t.true(isEventStored(SUCCEEDED, { ...PENDING, state: 'succeeded' }));
});

const ENDPOINT = {
  ...{ kind: 'webhook_endpoint', id: 'whe_1', team_id: 'team_1', url: 'https://example.com/', created_at: 1 },
  ...{ deleted_at: null, subscriptions: [], disabled: [], secrets: [], next_secret: null },
};
const TEAM = { kind: 'team', id: 'team_1', account_id: 'acc_1', name: 'Films', created_at: 1 };

test('deliveries are announced after they are stored, merged by endpoint', async (t) => {
  const { said, listeners } = listening();
  const stored = [null, PENDING, PENDING, { ...PENDING, state: 'succeeded' as const }];
  const announced_before: number[] = [];
  const find = async (kind: string) => Object(kind === 'team' ? TEAM : ENDPOINT);
  const changes = openDeliveryChanges({
    ...{ listeners, clock, warn, stopping, read_model: { find } },
    deliveries: {
      find: async () => {
        announced_before.push(said.length);
        return stored.shift() ?? null;
      },
    },
  });
  changes.appended(PLANNED);
  // Both come while the first one is not stored yet.
  changes.appended(PLANNED);
  changes.appended(SUCCEEDED);
  await changes.idle();
  const announcement = { type: 'endpoint', id: 'whe_1', account_id: 'acc_1', team_id: 'team_1' };
  t.deepEqual<unknown, unknown>(said, [announcement, announcement]);
  t.deepEqual(announced_before, [0, 0, 1, 1]);
});

test('without listeners nothing is read', async (t) => {
  const { said, listeners } = listening();
  const read = async () => t.fail();
  const deaf = { ...listeners, count: 0 };
  const deliveries = openDeliveryChanges({
    ...{ listeners: deaf, clock, warn, stopping, read_model: { find: read }, deliveries: { find: read } },
  });
  const catalogue = openCatalogueChanges({
    ...{ listeners: deaf, clock, warn, stopping, read_model: { outcomeOf: read }, audit: { ofCatalogue: read } },
  });
  deliveries.appended(PLANNED);
  catalogue.appended(1);
  await Promise.all([deliveries.idle(), catalogue.idle()]);
  t.deepEqual(said, []);
});
