/**
 * The body that asks a witness to cosign (https://c2sp.org/tlog-witness).
 *
 * @param old size of the tree that the witness has seen last
 * @param proof that the checkpoint's tree begins with it
 * @param note the checkpoint, signed
 */
export const addCheckpointBody = (old: number, proof: readonly Buffer[], note: string): string =>
  `old ${old}\n${proof.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${note}`;
