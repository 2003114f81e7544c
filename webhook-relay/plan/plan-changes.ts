import type { RecordLog } from '../../platform/records/record-log.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type {
  DeliveryCause,
  EndpointDirectory,
  EndpointQueues,
  OutputUrlLookup,
  Recorder,
  RenderNameLookup,
} from '../ports.ts';
import { type EraseDeliveriesDependencies, eraseDeliveries } from './erase-deliveries.ts';
import {
  type OwnedPartition,
  planningTime,
  type StorePlanDependencies,
  storePlannedDeliveries,
} from './owned-partition.ts';
import { needsDelivery, planDeliveries } from './planned-deliveries.ts';
import { renderResourceWithName } from './render-data.ts';
import type { StatusChange, StatusWork } from './status-changes.ts';

export type PlanChangesDependencies = StorePlanDependencies &
  EraseDeliveriesDependencies & {
    readonly records: RecordLog;
    readonly directory: Pick<EndpointDirectory, 'ofTeams'>;
    readonly recorder: Recorder;
    readonly store: StorePlanDependencies['store'] & EraseDeliveriesDependencies['store'];
    readonly queues: Pick<EndpointQueues, 'offer' | 'backlog' | 'skipAllOf'>;
    readonly namesOf: RenderNameLookup;
    readonly outputOf: OutputUrlLookup;
    /** The maximum of waiting deliveries per endpoint and partition. Further deliveries are skipped. */
    readonly max_waiting: number;
  };

const MAX_AT_ONCE = 200;

/**
 * Plans the deliveries of these changes. Resolves once the deliveries are stored and queued. Rejects once the partition
 * is revoked.
 *
 * @param next the offset after the last change
 */
export const planChanges = async (
  parts: PlanChangesDependencies,
  owned: OwnedPartition,
  works: readonly StatusWork[],
  next: number,
): Promise<void> => {
  const { partition, signal } = owned;
  const planned_for = works.flatMap((work) => (work.tag === 'change' ? [work.change] : []));
  const teams = [...new Set(planned_for.map(({ render }) => render.team_id))];
  const endpoints = await parts.directory.ofTeams(teams, signal);
  const of = (change: StatusChange) => endpoints.get(change.render.team_id) ?? [];
  const owing = new Set(planned_for.filter((change) => needsDelivery(change, of(change))));
  const names = await parts.namesOf(
    Array.from(owing, ({ render }) => render),
    signal,
  );

  let deliveries: WebhookDeliveryDocument[] = [];
  const causes = new Map<string, DeliveryCause>();
  const planned = new Map<string, number>();
  const isFull = (endpoint_id: string): boolean =>
    parts.queues.backlog(partition, endpoint_id) + (planned.get(endpoint_id) ?? 0) >= parts.max_waiting;
  const flush = async (next_status: number): Promise<void> => {
    await storePlannedDeliveries(parts, owned, { deliveries, repeated: [], causes, next: { next_status } });
    deliveries = [];
    causes.clear();
    planned.clear();
  };

  for (const work of works) {
    if (work.tag === 'erased') {
      // Stores the earlier deliveries first, so that the erasure finds them.
      if (deliveries.length > 0) await flush(work.offset);
      await owned.apartFromErasures(() => eraseDeliveries(parts, owned, work.render_id));
      continue;
    }
    const { change, cause } = work;
    const { render } = change;
    const name = owing.has(change) ? (names.get(render.id) ?? null) : null;
    const data = await renderResourceWithName(parts.outputOf, render, name, signal);
    for (const delivery of planDeliveries(change, of(change), data, planningTime(owned, parts.clock.now()), isFull)) {
      deliveries.push(delivery);
      causes.set(delivery._id, cause);
      planned.set(delivery.endpoint_id, (planned.get(delivery.endpoint_id) ?? 0) + 1);
    }
    if (deliveries.length >= MAX_AT_ONCE) await flush(change.offset + 1);
  }
  // Changes without deliveries may be planned again after a crash; `savePosition` stores the position later.
  if (deliveries.length > 0) await flush(next);
  signal.throwIfAborted();
};
