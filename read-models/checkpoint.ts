/** `render_checkpoints_g<generation>` and `catalogue_checkpoints_g<generation>`: the only position of a projector. */
export type CheckpointDocument = {
  /** Partition. */
  readonly _id: number;
  /** The offset to fold next. */
  readonly next: number;
  /** Chain hash after record `next - 1`, hex; 64 zeros at the beginning. */
  readonly chain: string;
  /** Chain hash before record `next - 1`, so that this one record can be checked again. */
  readonly chain_before: string;
  /**
   * The model is behind what was told before until `next` gets there: set when a process opens the partition. What was
   * written by code that did not know of it has none.
   */
  readonly target?: number;
  /**
   * Where this generation ended; set once another one serves. `next` and `chain` then hold values that no version of the
   * code can continue from.
   */
  readonly closed?: { readonly next: number; readonly chain: string };
};
