import type { RecordType } from '../../schemas/any-record.ts';
import type { Values } from '../configuration/configuration.ts';
import type { EVENT_LOG, READ_STORE, SCHEMA_REGISTRY } from '../configuration/parts.ts';
import { openEventLog } from '../event-log/kafka-event-log.ts';
import { openReadStore } from '../read-store/mongodb-read-store.ts';
import type { ReadStore } from '../read-store/read-store.ts';
import { openRecordLog } from '../records/avro-record-log.ts';
import type { RecordLog } from '../records/record-log.ts';
import type { ComponentContext } from './component.ts';

type Context = Pick<ComponentContext<never>, 'name' | 'logger' | 'metrics' | 'readiness' | 'crash'>;

/** Waits without a limit until the registry has the schemas in `appends`. Closing `log` closes the record log. */
export const openRecords = async (
  { name, logger, metrics, readiness, crash }: Context,
  settings: {
    readonly event_log: Values<typeof EVENT_LOG>;
    readonly registry: Values<typeof SCHEMA_REGISTRY>;
  },
  appends: readonly RecordType[],
): Promise<RecordLog> => {
  const { event_log, registry } = settings;
  const log = openEventLog({
    ...{ settings: event_log, client_id: name, logger, metrics, readiness, on_crash: crash },
    watches_topics: true,
  });
  return await openRecordLog({ settings: registry, log, logger, readiness, appends });
};

export const openStore = async (
  { name, logger, readiness }: Context,
  settings: Values<typeof READ_STORE>,
): Promise<ReadStore> => await openReadStore({ settings, app_name: name, logger, readiness });
