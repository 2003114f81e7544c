/**
 * Body of a request for a cosignature (https://c2sp.org/tlog-witness).
 * @param old tree size that the witness saw last
 * @param proof consistency with that tree
 * @param note the signed checkpoint
 */
export const addCheckpointBody = (old: number, proof: readonly Buffer[], note: string): string =>
  `old ${old}\n${proof.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${note}`;
