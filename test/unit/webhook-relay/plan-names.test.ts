import { setImmediate as scheduled } from 'node:timers/promises';
import test from 'ava';
import type { DeliveryRequested } from '../../../domain/webhooks/delivery-events.ts';
import type { LogRecord } from '../../../platform/event-log/event-log.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import { unstoredAppends } from '../../../webhook-relay/events/recorder.ts';
import { type OwnedPartition, ownedPartition } from '../../../webhook-relay/plan/owned-partition.ts';
import { type PlanChangesDependencies, planChanges } from '../../../webhook-relay/plan/plan-changes.ts';
import { planRequests } from '../../../webhook-relay/plan/plan-requests.ts';
import type { StatusWork } from '../../../webhook-relay/plan/status-changes.ts';
import { metaBy, RENDER_ID } from '../../helpers/render-events.ts';
import { change, endpoint } from './_plan.ts';

const NEVER = new AbortController().signal;
const NAME = 'For Ada Lovelace';
const COMPLETE = change('complete', 6);
/** A record of `render-status` since fold version 3: such records have no name. */
const NAMELESS = { ...COMPLETE, render: { ...COMPLETE.render, name: '' } };
const CHANGED: StatusWork = {
  tag: 'change',
  offset: 7,
  change: NAMELESS,
  cause: { causation_id: 'event_1', correlation_id: null },
};

const ERASED: StatusWork = { tag: 'erased', offset: 8, render_id: RENDER_ID };

const REPEAT: DeliveryRequested = {
  ...{ type: 'DeliveryRequested', meta: metaBy('operator:ops'), delivery_id: 'hook_again', endpoint_id: 'whe_1' },
  ...{ team_id: 'team_1', render_id: RENDER_ID, seq: 6, event: 'render.complete', status_offset: 7, repeats: 'hook_0' },
};

const recordAt = (topic: string, offset: number): LogRecord => ({
  ...{ topic, partition: 3, offset, key: null, headers: {}, append_time_ms: 1_000 },
  value: Buffer.from(topic),
});

const LOG = {
  log: {
    read: async () => [recordAt('render-status', 7)],
    replay: async function* () {
      yield recordAt('webhook-events', 0);
    },
  },
  decode: async (value: Buffer | null) => ({
    tag: 'record',
    record:
      value?.toString() === 'webhook-events' ? REPEAT : { type: 'RenderFactAccepted', ...NAMELESS, fact_type: 'any' },
  }),
} as unknown as RecordLog;

const planner = () => {
  const stored = new Map<string, WebhookDeliveryDocument>();
  const world = { name: NAME as string | null, names_used: [] as string[], signing: Promise.resolve() };
  const parts: PlanChangesDependencies = {
    records: LOG,
    directory: { ofTeams: async () => new Map([['team_1', [endpoint()]]]) },
    recorder: {
      plan: async ({ deliveries }) => {
        for (const delivery of deliveries) stored.set(delivery._id, delivery);
        return new Set(deliveries.map(({ _id }) => _id));
      },
      record: async ({ _id }, { result }) => {
        const before = stored.get(_id);
        if (before !== undefined && result.tag === 'skipped')
          stored.set(_id, { ...before, state: 'skipped', reason: result.reason, body: null });
        return true;
      },
    },
    store: {
      delivery: async (id) => stored.get(id) ?? null,
      pendingOf: async () => [...stored.values()].filter(({ state }) => state === 'pending'),
      dropAnswers: async () => false,
    },
    queues: { offer: () => undefined, backlog: () => 0, skipAllOf: () => undefined },
    namesOf: async (renders) => new Map(renders.map(({ id }) => [id, world.name])),
    outputOf: async ({ name }) => {
      world.names_used.push(name);
      await world.signing;
      return { master: `https://example.org/${name}.mp4` };
    },
    max_waiting: 100,
    unstored: unstoredAppends(),
    warn: () => undefined,
    clock: SYSTEM_CLOCK,
  };
  const owned: OwnedPartition = ownedPartition(
    { partition: 3, signal: NEVER, begin: () => undefined, finish: () => undefined, lost: () => undefined },
    { next_status: 0, next_request: 0, last_planned_at: 0, readLog: async () => Promise.reject(new Error('unused')) },
    -1,
    SYSTEM_CLOCK,
  );
  return { parts, owned, stored, world };
};

test('files of a delivery have the current name of the render', async (t) => {
  const { parts, owned, stored, world } = planner();
  await planChanges(parts, owned, [CHANGED], 8);
  t.deepEqual(world.names_used, [NAME]);
  t.true([...stored.values()].every(({ body }) => body?.includes(`https://example.org/${NAME}.mp4`)));
});

test('files of a requested delivery have the current name of the render', async (t) => {
  const { parts, owned, stored, world } = planner();
  await planRequests(parts, owned, 1);
  t.deepEqual(world.names_used, [NAME]);
  t.like(stored.get('hook_again'), { state: 'pending' });
});

test('a requested delivery never stores a name after the erasure of its render', async (t) => {
  const { parts, owned, stored, world } = planner();
  const blobs_are_back = Promise.withResolvers<void>();
  world.signing = blobs_are_back.promise;
  const looking = planRequests(parts, owned, 1);
  while (world.names_used.length === 0) await scheduled();
  world.name = null;
  const erasing = planChanges(parts, owned, [ERASED], 9);
  for (let turn = 0; turn < 100; turn += 1) await scheduled();
  blobs_are_back.resolve();
  await Promise.all([looking, erasing]);
  t.like(stored.get('hook_again'), { state: 'skipped', reason: 'erased', body: null });
});
