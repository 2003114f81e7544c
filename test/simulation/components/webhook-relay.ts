import * as E from 'fp-ts/lib/Either.js';
import { actor } from '../../../domain/event/meta.ts';
import { type OutputUrlPolicy, signedOutput } from '../../../platform/blob-store/signed-output.ts';
import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { throttledWarn } from '../../../platform/logging/throttled-warn.ts';
import type { PostRequest, PostResult } from '../../../platform/outbound/post-result.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import { retry } from '../../../platform/process/retry.ts';
import { consumerPositions } from '../../../platform/read-store/consumer-positions.ts';
import { coalesceReads } from '../../../platform/read-store/shared-read.ts';
import { stoppedPartitions } from '../../../platform/read-store/stopped-partitions.ts';
import { openEndpoints } from '../../../read-models/catalogue/endpoints.ts';
import { endpointHealth } from '../../../read-models/deliveries/endpoint-health.ts';
import { renderNames } from '../../../read-models/renders/names.ts';
import { disableEndpoint } from '../../../webhook-relay/events/disable-endpoint.ts';
import { appendAll, createRecorder, unstoredAppends } from '../../../webhook-relay/events/recorder.ts';
import { endpointDirectory } from '../../../webhook-relay/plan/endpoint-directory.ts';
import { partitionsOf, startPlanner } from '../../../webhook-relay/plan/planner.ts';
import { namesInStore } from '../../../webhook-relay/plan/render-data.ts';
import { createEndpointQueues } from '../../../webhook-relay/queues/endpoint-queues.ts';
import { openDeliveryStore } from '../../../webhook-relay/state/delivery-store.ts';
import type { Life } from '../world/life.ts';
import { chance } from '../world/process-globals.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, contextOf } from './cluster.ts';

const GROUP = 'webhook-relay';
const SCHEDULE = { first_ms: 2_000, factor: 3 };
const SETTINGS = {
  attempt_timeout_ms: 10_000,
  attempts_at_once: 50,
  attempts_per_endpoint: 4,
  disable_after_s: 86_400,
};
const MAX_WAITING = 20_000;
const OUTPUT_POLICY: OutputUrlPolicy = { isGone: async () => false, namedBy: async () => 'name' };
const SECRET = `whsec_${Buffer.from('a secret of the simulation').toString('base64')}`;

/** @param post returns the answer of an endpoint */
export const webhookRelay =
  (cluster: Cluster, post: (life: Life, request: PostRequest) => Promise<PostResult>): Program =>
  async (life) => {
    const { records, store: read_store, blobs, logger, metrics, clock, crash } = contextOf(cluster, life);
    const { log } = records;
    const warn = throttledWarn(logger);
    const readiness = createReadiness();
    const partitions = await retry(() => partitionsOf(log), { clock });
    const me = actor('relay', `relay_${mintUlid()}`);
    const store = await openDeliveryStore({ store: read_store, logger, metrics, clock });
    const unstored = unstoredAppends();
    const nothing = (): void => undefined;
    const recorder = createRecorder({
      append: appendAll(records, warn, clock),
      ...{ store, unstored, actor: me, now: clock.now, on_planned: nothing, on_recorded: nothing },
    });
    const catalogueEnd = coalesceReads(async () => (await log.bounds('catalogue-events'))[0]?.end ?? 0);
    const directory = endpointDirectory({
      endpoints: openEndpoints(read_store.db),
      end: () => catalogueEnd('end'),
      ...{ warn, clock, waiting: nothing },
    });
    const queues = createEndpointQueues({
      settings: { ...SETTINGS, schedule: SCHEDULE },
      ...{ store, directory, recorder, health: endpointHealth(read_store.db) },
      disable: disableEndpoint(records, me, warn, clock),
      openSecret: async () => E.right(SECRET),
      post: (request) => post(life, request),
      ...{ clock, random: chance, readiness, warn, crash, on_attempt: nothing },
    });
    const planner = await startPlanner({
      ...{ group: GROUP, partitions, records, directory, store, recorder, unstored, queues, schedule: SCHEDULE },
      outputOf: (render, signal) => retry(() => signedOutput(blobs, render, OUTPUT_POLICY), { clock, signal }),
      namesOf: namesInStore(renderNames(read_store.db), warn, clock),
      max_waiting: Math.ceil(MAX_WAITING / partitions),
      formerPosition: (partition) => consumerPositions(read_store.db, GROUP).load('render-status', partition),
      on_poison: ({ topic, partition, offset }, reason) =>
        cluster.world.violate(`${topic}/${partition}/${offset} cannot be read: ${reason}`),
      rebuilds: { load: async () => null, store: async () => undefined },
      stops: stoppedPartitions(read_store.db, clock.now),
      ...{ logger, clock, warn, crash },
    });
    return {
      stop: async () => {
        await planner.end();
        await queues.stop();
        await store.close();
        await planner.stop();
      },
    };
  };
