import { openProofBlobs } from '../platform/blob-store/azure-proof-blobs.ts';
import { BLOB_STORE, EVENT_LOG, NOTARY, PROOFS, READ_STORE } from '../platform/configuration/parts.ts';
import { openEventLog } from '../platform/event-log/kafka-event-log.ts';
import { messageOf } from '../platform/logging/message-of.ts';
import { throttledWarn } from '../platform/logging/throttled-warn.ts';
import { runComponent } from '../platform/process/component.ts';
import { openStore } from '../platform/process/open-clients.ts';
import { retry } from '../platform/process/retry.ts';
import { withTimeout } from '../platform/process/within.ts';
import { originOf } from '../platform/proof-log/origin.ts';
import { proofContainer, proofPaths } from '../platform/proof-log/proof-paths.ts';
import { signerKey, verifierKeyText } from '../proofs/notes/keys.ts';
import { openNotaryState } from '../read-models/notary/notary-notes.ts';
import { createLogCheck } from './check-log.ts';
import { writeKeys } from './keys.ts';
import { notaryMetrics, witnessMetrics } from './metrics.ts';
import { createNotary } from './notary.ts';
import { startNotaryRounds } from './rounds.ts';
import { rejectReplaysOnAbort } from './until-aborted.ts';
import { openWitnessClient } from './witnesses/ask-witnesses.ts';
import { postToWitness } from './witnesses/post-to-witness.ts';

const PARTS = {
  event_log: EVENT_LOG,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  proofs: PROOFS,
  notary: NOTARY,
};

const STOPPED_WITHIN_MS = 8_000;
const CHECK_PACE_MS = 100;

await runComponent('notary', PARTS, async (context) => {
  const { name, configuration, logger, metrics, readiness, clock, stopping, crash } = context;
  const { event_log, blob_store, proofs, notary: settings } = configuration;
  const store = await openStore(context, configuration.read_store);
  const log = openEventLog({
    ...{ settings: event_log, client_id: name, logger, metrics, readiness },
    on_crash: crash,
  });
  const blobs = openProofBlobs({ ...blob_store, container: proofContainer(proofs, blob_store) });
  const warn = throttledWarn(logger);

  const sure = <A>(work: () => Promise<A>): Promise<A> =>
    retry(work, {
      ...{ clock, signal: stopping },
      onFailure: (error) => warn({ reason: messageOf(error) }, 'waiting for the servers'),
    });
  const origin = await sure(() => originOf(log, proofs.origin, event_log.topic_prefix));
  const paths = proofPaths(origin);
  const signer = signerKey('note', origin, settings.key);
  const keys = [signer, ...settings.former_keys];
  await sure(async () => {
    await blobs.ensureContainer();
    await writeKeys(blobs, paths, keys);
  });
  readiness.check('blob store', async () => {
    await blobs.read(paths.keys);
    return null;
  });

  const countWitness = witnessMetrics(metrics);
  const notes = openNotaryState(store.db, origin);
  const notary = createNotary({
    ...{ blobs, paths, notes, origin, signer, clock },
    log: rejectReplaysOnAbort(log, stopping),
    former: settings.former_keys,
    askWitnesses: openWitnessClient({
      witnesses: settings.witnesses,
      post: postToWitness(stopping),
      onOutcome: (witness, outcome, reason) => {
        countWitness(witness, outcome);
        if (reason !== null) warn({ witness, outcome, reason }, 'a witness has not cosigned');
      },
    }),
  });
  logger.info({ key: verifierKeyText(signer) }, 'signing key');
  const rounds = startNotaryRounds({
    ...{ notary, notes, clock, readiness, logger, warn },
    check: createLogCheck({
      ...{ log: rejectReplaysOnAbort(log, stopping), blobs, paths, keys, stop: stopping },
      pace: () => clock.sleep(CHECK_PACE_MS, stopping),
    }),
    interval_ms: settings.interval_s * 1_000,
  });
  notaryMetrics(metrics, {
    notary,
    log,
    isStopped: rounds.isStopped,
    signedAt: rounds.signedAt,
    checkedAt: rounds.checkedAt,
  });
  return {
    stop: async () => {
      // Does not wait longer for the current round, because a notary may be killed between any two writes.
      await withTimeout(STOPPED_WITHIN_MS, rounds.stop(), () => undefined);
      await log.close();
      await store.close();
    },
  };
});
