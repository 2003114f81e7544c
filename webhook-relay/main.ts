import { setTimeout as pause } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { Counter } from 'prom-client';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { signedOutput } from '../platform/blob-store/signed-output.ts';
import { BLOB_STORE, EVENT_LOG, READ_STORE, SCHEMA_REGISTRY, WEBHOOKS } from '../platform/configuration/parts.ts';
import { consumerPositions } from '../platform/consumer-position/consumer-positions.ts';
import type { Subscription } from '../platform/event-log/event-log.ts';
import { openEventLog } from '../platform/event-log/kafka-event-log.ts';
import { sparingWarnings } from '../platform/logging/sparing-warnings.ts';
import { runComponent } from '../platform/process/component.ts';
import { openReadStore } from '../platform/read-store/mongodb-read-store.ts';
import { openRecordLog } from '../platform/records/avro-record-log.ts';
import { decodeEndpoint } from './endpoint.ts';
import { createRelay } from './relay.ts';
import { SCHEDULE } from './schedule.ts';

const PARTS = { log: EVENT_LOG, registry: SCHEMA_REGISTRY, store: READ_STORE, blobs: BLOB_STORE, webhooks: WEBHOOKS };

/** Attempts that may be under way at once. */
const ATTEMPTS_AT_ONCE = 32;
/** Between two tries to sign URLs, while the blob store refuses. */
const SIGNING_PAUSE_MS = 1_000;

await runComponent('webhook-relay', PARTS, async ({ name, configuration, logger, metrics, readiness, crash }) => {
  const { endpoint_url: url, endpoint_secret: secret, endpoint_events: events, allow_private } = configuration.webhooks;
  const endpoint = decodeEndpoint({ url, secret, events, allow_private });
  if (E.isLeft(endpoint)) throw new Error(endpoint.left.join('; '));
  if (endpoint.right === null) logger.info('no endpoint is configured: nothing is delivered');

  const log = openEventLog({
    settings: configuration.log,
    client_id: name,
    logger,
    metrics,
    readiness,
    on_crash: crash,
  });
  const store = await openReadStore({ settings: configuration.store, app_name: name, logger, readiness });
  const records = await openRecordLog({ settings: configuration.registry, log, logger, readiness });
  const blobs = openBlobStore(configuration.blobs);

  const ended = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Deliveries that have ended',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  const poison = new Counter({
    name: 'webhook_poison_records_total',
    help: 'Records of render-status that cannot be read, and were passed by',
    registers: [metrics],
  });

  const warn = sparingWarnings(logger);
  let subscription: Subscription | null = null;
  const relay = createRelay({
    records,
    positions: consumerPositions(store.db, name),
    endpoint: endpoint.right,
    schedule: SCHEDULE,
    slots: pLimit(ATTEMPTS_AT_ONCE),
    outputOf: async (render, stop) => {
      while (!stop.aborted) {
        try {
          return await signedOutput(blobs, render);
        } catch (error) {
          warn({ error, render_id: render.id }, 'cannot sign the URLs of a delivery yet');
          await pause(SIGNING_PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
        }
      }
      return null;
    },
    now: Date.now,
    on_end: ({ id, event, render_id, seq }, end) => {
      ended.inc({ outcome: end.tag });
      const about = { delivery_id: id, event, render_id, seq, ...end };
      if (end.tag === 'exhausted') logger.error(about, 'a delivery is exhausted');
      else logger.debug(about, 'a delivery has ended');
    },
    on_poison: ({ topic, partition, offset }, reason) => {
      poison.inc();
      logger.error({ topic, partition, offset, reason }, 'a record cannot be read, and is passed by');
    },
    on_unsaved: (error) => warn({ error }, 'the position could not be kept; it is tried again'),
    pause: (topic, partition) => subscription?.pause(topic, partition),
    resume: (topic, partition) => subscription?.resume(topic, partition),
    crash,
  });
  subscription = await log.subscribe({
    group: name,
    topics: ['render-status'],
    position: relay.position,
    on_batch: relay.take,
    on_revoked: relay.revoked,
  });

  return {
    stop: async () => {
      // First the relay lets go of what it waits for, so that no batch is held up by it.
      await relay.stop();
      await subscription?.stop();
      await log.close();
      await store.close();
    },
  };
});
