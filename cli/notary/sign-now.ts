import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { readLastHeads } from '../../platform/proof-log/heads-log.ts';
import { type PartitionEnd, partitionText } from '../../platform/proof-log/notarized-topics.ts';
import { openNotaryState } from '../../read-models/notary/notary-notes.ts';
import type { Connection } from '../connection.ts';
import type { CliFault } from '../fault.ts';
import { type Proofs, readListedKeyChain, readPublishedCheckpoint } from './proofs.ts';

/** How long to wait for the signature. The notary checks for requests every second. */
const SIGNED_WITHIN_MS = 30_000;
const LOOK_MS = 250;

const NOT_SIGNED: CliFault = {
  tag: 'refused',
  reason: 'not_signed',
  message: `the notary did not sign within ${SIGNED_WITHIN_MS / 1_000} s: is it running and ready?`,
};

/**
 * Returns the published checkpoint that covers the partitions up to `ends`. If no checkpoint covers them, it asks
 * the notary to sign.
 */
export const checkpointCovering = async (
  connection: Pick<Connection, 'db'>,
  proofs: Proofs,
  ends: readonly PartitionEnd[],
): Promise<E.Either<CliFault, { readonly text: string; readonly size: number }>> => {
  const deadline = SYSTEM_CLOCK.monotonic() + SIGNED_WITHIN_MS;
  for (let isRequested = false; ; isRequested = true) {
    // Read again at each attempt, because the key may be replaced in the meantime.
    const chain = await readListedKeyChain(proofs);
    if (E.isLeft(chain)) return chain;
    const published = await readPublishedCheckpoint(proofs, chain.right);
    if (E.isRight(published)) {
      const { text, checkpoint } = published.right;
      const heads = await readLastHeads(proofs.blobs, proofs.paths, checkpoint.size);
      const covers = ({ end, ...place }: PartitionEnd): boolean => end <= (heads.get(partitionText(place))?.size ?? 0);
      if (ends.every(covers)) return E.right({ text, size: checkpoint.size });
    } else if (published.left.tag !== 'refused') return published;
    if (!isRequested) {
      const asking = await connection.db(
        async (db): Promise<E.Either<CliFault | CatalogueFault, boolean>> =>
          E.right(await openNotaryState(db, proofs.origin).ask(mintUlid())),
      );
      if (E.isLeft(asking)) return asking;
    }
    if (SYSTEM_CLOCK.monotonic() > deadline) return E.left(NOT_SIGNED);
    await SYSTEM_CLOCK.sleep(LOOK_MS);
  }
};
