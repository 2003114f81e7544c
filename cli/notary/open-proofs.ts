import { openProofBlobs, shareProofs } from '../../platform/blob-store/azure-proof-blobs.ts';
import type { Values } from '../../platform/configuration/configuration.ts';
import type { BLOB_STORE, EVENT_LOG, PROOFS } from '../../platform/configuration/parts.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { originOf } from '../../platform/proof-log/origin.ts';
import { proofContainer, proofPaths } from '../../platform/proof-log/proof-paths.ts';
import type { Proofs } from './proofs.ts';

export const openProofs = async (
  settings: {
    readonly proofs: Values<typeof PROOFS>;
    readonly blob_store: Values<typeof BLOB_STORE>;
    readonly event_log: Values<typeof EVENT_LOG>;
  },
  log: EventLog,
): Promise<Proofs> => {
  const { proofs, blob_store, event_log } = settings;
  const origin = await originOf(log, proofs.origin, event_log.topic_prefix);
  const own = { ...blob_store, container: proofContainer(proofs, blob_store) };
  return {
    ...{ origin, log, paths: proofPaths(origin), blobs: openProofBlobs(own) },
    share: (now_ms, lifetime_ms) => shareProofs(own, now_ms, lifetime_ms),
  };
};
