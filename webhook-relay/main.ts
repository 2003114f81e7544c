import * as E from 'fp-ts/lib/Either.js';
import { actor } from '../domain/event/meta.ts';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { signedOutput } from '../platform/blob-store/signed-output.ts';
import {
  BLOB_STORE,
  EVENT_LOG,
  OUTBOUND,
  READ_STORE,
  SCHEMA_REGISTRY,
  WEBHOOK_OPENING_KEYS,
  WEBHOOK_SECRETS,
  WEBHOOKS,
} from '../platform/configuration/parts.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { mintUlid } from '../platform/identity/mint-ulid.ts';
import { throttledWarn, type Warn } from '../platform/logging/throttled-warn.ts';
import { openOutbound } from '../platform/outbound/https-post.ts';
import { outboundRules } from '../platform/outbound/outbound-rules.ts';
import { type ComponentContext, runComponent } from '../platform/process/component.ts';
import { openRecords, openStore } from '../platform/process/open-clients.ts';
import { retry } from '../platform/process/retry.ts';
import { RELAY_STOP_DEADLINE_MS } from '../platform/process/stop-deadlines.ts';
import { consumerPositions } from '../platform/read-store/consumer-positions.ts';
import type { ReadStore } from '../platform/read-store/read-store.ts';
import { coalesceReads } from '../platform/read-store/shared-read.ts';
import { stoppedPartitions } from '../platform/read-store/stopped-partitions.ts';
import { secretOpen } from '../platform/secrets/sealed-secret.ts';
import { openAccountRetentions } from '../read-models/catalogue/account-retentions.ts';
import { openEndpoints } from '../read-models/catalogue/endpoints.ts';
import { openOutputPolicy } from '../read-models/catalogue/output-policy.ts';
import { endpointHealth } from '../read-models/deliveries/endpoint-health.ts';
import { findDeliveryRebuild, storePartitionRebuild } from '../read-models/deliveries/rebuild.ts';
import { renderNames } from '../read-models/renders/names.ts';
import { disableEndpoint } from './events/disable-endpoint.ts';
import { appendAll, createRecorder, type RecorderDependencies, unstoredAppends } from './events/recorder.ts';
import { endpointDirectory } from './plan/endpoint-directory.ts';
import { partitionsOf, startPlanner } from './plan/planner.ts';
import { namesInStore } from './plan/render-data.ts';
import type { EndpointDirectory } from './ports.ts';
import { createEndpointQueues } from './queues/endpoint-queues.ts';
import { type RelayMetrics, relayMetrics } from './relay-metrics.ts';
import { openDeliveryStore } from './state/delivery-store.ts';

const PARTS = {
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  blobs: BLOB_STORE,
  opening: WEBHOOK_OPENING_KEYS,
  secrets: WEBHOOK_SECRETS,
  outbound: OUTBOUND,
  webhooks: WEBHOOKS,
};

/** The maximum of waiting deliveries per endpoint, over all partitions. Further deliveries are skipped. */
const MAX_WAITING = 20_000;

const APPENDS = [
  'DeliveryPlanned',
  'DeliverySkipped',
  'DeliveryAttempted',
  'DeliverySucceeded',
  'DeliveryExhausted',
  'WebhookEndpointDisabled',
] as const;

type RelayContext = ComponentContext<typeof PARTS>;

const openClients = async (context: RelayContext) => {
  const { configuration } = context;
  const rules = outboundRules(configuration.outbound);
  if (E.isLeft(rules)) throw new Error(rules.left);
  const openSecret = secretOpen({ ...configuration.opening, secrets_key: configuration.secrets.key });
  if (E.isLeft(openSecret)) throw new Error(openSecret.left);
  const outbound = openOutbound(rules.right);
  const [records, read_store] = await Promise.all([
    openRecords(context, configuration, APPENDS),
    openStore(context, configuration.read_store),
  ]);
  return { openSecret: openSecret.right, outbound, records, log: records.log, read_store };
};

const noteRecorded =
  (logger: RelayContext['logger'], measured: RelayMetrics): RecorderDependencies['on_recorded'] =>
  (delivery, outcome) => {
    measured.recorded(outcome);
    const { _id: delivery_id, endpoint_id, render_id, event } = delivery;
    const about = { delivery_id, endpoint_id, render_id, event, ...outcome.result };
    if (outcome.result.tag === 'exhausted') logger.warn(about, 'a delivery is exhausted');
    else logger.debug(about, 'an attempt has ended');
  };

const openDirectory = (
  { clock, readiness }: RelayContext,
  log: EventLog,
  read_store: ReadStore,
  warn: Warn,
): EndpointDirectory => {
  const catalogueEnd = coalesceReads(async () => (await log.bounds('catalogue-events'))[0]?.end ?? 0);
  return endpointDirectory({
    endpoints: openEndpoints(read_store.db),
    end: () => catalogueEnd('end'),
    warn,
    clock,
    waiting: (problem) => readiness.set('catalogue', problem),
  });
};

await runComponent('webhook-relay', PARTS, async (context) => {
  const { name, configuration, logger, metrics, readiness, clock, crash } = context;
  const { openSecret, outbound, records, log, read_store } = await openClients(context);
  const blobs = openBlobStore(configuration.blobs);
  const warn = throttledWarn(logger);
  const onFailure = (error: unknown): void => warn({ error }, 'waiting for Kafka');
  const partitions = await retry(() => partitionsOf(log), { clock, onFailure });

  const me = actor('relay', `relay_${mintUlid()}`);
  const { retry_first_ms: first_ms, retry_factor: factor, ...settings } = configuration.webhooks;
  const schedule = { first_ms, factor };
  const store = await openDeliveryStore({ store: read_store, logger, metrics, clock });
  const measured = relayMetrics(metrics, () => queues.figures());
  const unstored = unstoredAppends();
  const recorder = createRecorder({
    append: appendAll(records, warn, clock),
    store,
    unstored,
    actor: me,
    now: clock.now,
    on_planned: measured.planned,
    on_recorded: noteRecorded(logger, measured),
  });
  const directory = openDirectory(context, log, read_store, warn);
  const queues = createEndpointQueues({
    settings: { ...settings, schedule },
    store,
    directory,
    recorder,
    health: endpointHealth(read_store.db),
    disable: disableEndpoint(records, me, warn, clock),
    openSecret,
    post: outbound.post,
    clock,
    random: Math.random,
    readiness,
    warn,
    crash,
    on_attempt: (_delivery, attempt, late_ms) => measured.attempted(attempt, late_ms),
  });

  const output_policy = openOutputPolicy(openAccountRetentions(read_store.db), clock);
  const planner = await startPlanner({
    group: name,
    partitions,
    records,
    directory,
    store,
    recorder,
    unstored,
    queues,
    schedule,
    outputOf: (render, signal) =>
      retry(() => signedOutput(blobs, render, output_policy), {
        clock,
        signal,
        onFailure: (error) => warn({ error }, 'the URLs of a delivery cannot be signed yet'),
      }),
    namesOf: namesInStore(renderNames(read_store.db), warn, clock),
    max_waiting: Math.ceil(MAX_WAITING / partitions),
    formerPosition: (partition) => consumerPositions(read_store.db, name).load('render-status', partition),
    on_poison: ({ topic, partition, offset }, reason) => {
      measured.poison();
      logger.error({ topic, partition, offset, reason }, 'skipped a record that cannot be read');
    },
    rebuilds: {
      load: () => findDeliveryRebuild(read_store.db),
      store: (partition, progress) => storePartitionRebuild(read_store.db, partition, progress),
    },
    stops: stoppedPartitions(read_store.db, clock.now),
    logger,
    clock,
    warn,
    crash,
  });

  return {
    stop: async () => {
      await planner.end();
      // The queues stop before the relay leaves the group, so that the next owner repeats no running attempt.
      await queues.stop();
      await store.close();
      await planner.stop();
      await outbound.close();
      await log.close();
      await read_store.close();
    },
    stop_within_ms: RELAY_STOP_DEADLINE_MS,
  };
});
