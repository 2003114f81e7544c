import { DISPATCHER, ENVIRONMENT, EVENT_LOG, READ_STORE, SCHEMA_REGISTRY } from '../../platform/configuration/parts.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { runComponent } from '../../platform/process/component.ts';
import { openRecords, openStore } from '../../platform/process/open-clients.ts';
import { stoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import { openCatchUp, requireCaughtUp } from '../../read-models/catch-up.ts';
import { servingRenders } from '../../read-models/renders/model.ts';
import { unfinishedRenders } from '../../read-models/renders/unfinished-renders.ts';
import { appendUntilKnown } from '../log/append-until-known.ts';
import { createMetaFactory } from '../log/record-author.ts';
import { dispatchMetrics } from './dispatch-metrics.ts';
import { startLeaderElection } from './leader-election.ts';

const PARTS = {
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  dispatcher: DISPATCHER,
  environment: ENVIRONMENT,
};

const APPENDS = [
  'RenderAssigned',
  'AttemptLost',
  'RenderFailed',
  'StartAttempt',
  'StopAttempt',
  'DispatcherBeat',
] as const;

await runComponent('dispatcher', PARTS, async (context) => {
  const { configuration, logger, metrics, clock } = context;
  const dispatcher_id = `disp_${mintUlid()}`;
  const [records, store] = await Promise.all([
    openRecords(context, configuration, APPENDS),
    openStore(context, configuration.read_store),
  ]);

  const catchUp = openCatchUp(store.db, clock);
  const { waited } = dispatchMetrics(metrics, () => election.active()?.state() ?? null, clock);
  const election = await startLeaderElection({
    dispatcher_id,
    records,
    stops: stoppedPartitions(store.db, clock.now),
    append: appendUntilKnown(records, logger, clock),
    renders: unfinishedRenders(servingRenders(store.db), clock),
    requireCaughtUp: () => requireCaughtUp(catchUp),
    by: createMetaFactory('dispatcher', dispatcher_id, clock),
    waited,
    limits: {
      account_cap: configuration.dispatcher.account_cap,
      environment_timeout_ms: configuration.environment.timeout_s * 1_000,
    },
    logger: logger.child({ dispatcher_id }),
    clock,
  });
  return {
    stop: async () => {
      await election.stop();
      await records.log.close();
      await store.close();
    },
  };
});
