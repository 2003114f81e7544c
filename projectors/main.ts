import { EVENT_LOG, READ_STORE, SCHEMA_REGISTRY } from '../platform/configuration/parts.ts';
import { openEventLog } from '../platform/event-log/kafka-event-log.ts';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import { runComponent } from '../platform/process/component.ts';
import { openReadStore } from '../platform/read-store/mongodb-read-store.ts';
import { openRecordLog } from '../platform/records/avro-record-log.ts';
import { startProjectors } from './projectors.ts';

// Facts and events of the log -> read models, and the status topic.
await runComponent(
  'projectors',
  { event_log: EVENT_LOG, registry: SCHEMA_REGISTRY, read_store: READ_STORE },
  async ({ name, configuration, logger, metrics, readiness, crash }) => {
    const log = openEventLog({
      settings: configuration.event_log,
      client_id: name,
      logger,
      metrics,
      readiness,
      on_crash: crash,
    });
    const store = await openReadStore({ settings: configuration.read_store, app_name: name, logger, readiness });
    const appends = ['RenderFactAccepted'] as const;
    const records = await openRecordLog({ settings: configuration.registry, log, logger, readiness, appends });
    const projectors = await startProjectors({ records, store, registry: metrics, logger, clock: SYSTEM_CLOCK });
    return {
      stop: async () => {
        await projectors.stop();
        await log.close();
        await store.close();
      },
    };
  },
);
