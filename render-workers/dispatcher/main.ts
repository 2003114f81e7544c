import { DISPATCHER, EVENT_LOG, READ_STORE, SCHEMA_REGISTRY } from '../../platform/configuration/parts.ts';
import { openEventLog } from '../../platform/event-log/kafka-event-log.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { measuredGauge } from '../../platform/metrics/metrics.ts';
import { runComponent } from '../../platform/process/component.ts';
import { openReadStore } from '../../platform/read-store/mongodb-read-store.ts';
import { openRecordLog } from '../../platform/records/avro-record-log.ts';
import { servingRenders } from '../../read-models/renders/model.ts';
import { unfinishedRenders } from '../../read-models/renders/unfinished-renders.ts';
import { appendUntilKnown } from '../log/append-until-known.ts';
import { author } from '../log/record-author.ts';
import { startLeaderElection } from './leader-election.ts';

const PARTS = { event_log: EVENT_LOG, registry: SCHEMA_REGISTRY, read_store: READ_STORE, dispatcher: DISPATCHER };

const APPENDS = [
  'RenderAssigned',
  'AttemptLost',
  'RenderFailed',
  'StartAttempt',
  'StopAttempt',
  'DispatcherBeat',
] as const;

await runComponent('dispatcher', PARTS, async ({ name, configuration, logger, metrics, readiness, crash }) => {
  const dispatcher_id = `disp_${mintUlid()}`;
  const log = openEventLog({
    settings: configuration.event_log,
    client_id: name,
    logger,
    metrics,
    readiness,
    on_crash: crash,
  });
  const records = await openRecordLog({ log, settings: configuration.registry, logger, readiness, appends: APPENDS });
  const store = await openReadStore({ settings: configuration.read_store, app_name: name, logger, readiness });

  const election = await startLeaderElection({
    dispatcher_id,
    records,
    append: appendUntilKnown(records, logger),
    renders: unfinishedRenders(servingRenders(store.db)),
    by: author('dispatcher', dispatcher_id),
    limits: { account_cap: configuration.dispatcher.account_cap },
    logger: logger.child({ dispatcher_id }),
  });
  measuredGauge(metrics, 'dispatcher_active', '1 where this dispatcher is the active one', [], async () => [
    { labels: {}, value: election.active() === null ? 0 : 1 },
  ]);
  measuredGauge(metrics, 'dispatcher_open_renders', 'Prepared renders that are not final', [], async () => [
    { labels: {}, value: election.active()?.state().renders.size ?? 0 },
  ]);
  return {
    stop: async () => {
      await election.stop();
      await log.close();
      await store.close();
    },
  };
});
