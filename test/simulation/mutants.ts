/** Former faults of the service. Each can be restored to see that the simulation finds it. */
export const MUTANTS = {
  /**
   * Losses by the disk, the blob store or the version count against the render, and their worker still gets renders.
   */
  environment_counts: 'a loss by the environment counts against its render',
  /** A preparation fails with the first outage that outlasts its tries. */
  preparation_fails: 'an outage fails renders in preparation',
  /** No API checks whether the store has the published state. */
  restored_store_serves: 'a restored store serves before it catches up',
  /** A partition pauses while too much of it is unfinished, for any account. */
  no_windows: 'one account blocks the preparation of others',
  /** A subscription reads nothing until it knows the positions of all its partitions. */
  positions_block: 'one unknown position blocks all partitions of its subscription',
  /** The lag of the ledger is that of the slowest partition. */
  lag_of_all: 'one stopped partition refuses limited renders in all partitions',
  /** A hold ends with the append, not once the ledger shows it. */
  holds_end_early: 'unfolded renders are paid with credits that can be spent again',
  /** The fold waits for each text until the blob store serves it. */
  blob_waits: 'one unavailable blob blocks a fold',
  /** The watermark of one projector alone determines ages. */
  one_clock_deletes: 'retention deletes by one clock only',
  /** Files after the first page, or that a lost attempt stores later, remain. */
  erased_once: 'only the first page of an erased render is deleted, once',
  /** A process never reads a key again once the key is in its cache. */
  revoked_key_opens: 'a key stays valid in the cache after its revocation',
  /** A projector states the ledger's time by its own clock, and a command API compares it with its own. */
  host_clocks_compared: 'the lag of the ledger is judged by the clocks of two hosts',
  credits_apart: 'each command API spends credits as if it were the only one',
  /** A rebuilt generation replaces the serving one before it has folded the whole log. */
  rebuild_serves_early: 'a rebuild serves before it is complete',
  /** After an erasure, names stay in a generation that a rebuild has replaced. */
  left_keeps_names: 'erasure skips replaced generations',
  /** A part from the segment cache is not compared with its stored hash. */
  parts_unhashed: 'a film contains a damaged part of the segment cache',
  /** A part of a helper or of an earlier render is joined without a check of its number of frames. */
  parts_unchecked: "a film contains another worker's incomplete part",
  /** The worker of a film encodes no part that a helper has started, even if the helper died. */
  helpers_waited_for: 'a render waits for a helper that has died',
  /** Retention does not puncture the leaf of an erased render. */
  puncture_forgotten: 'the text of an erased render can still be opened',
  /** Retention deletes everything of an erased account but its key trees. */
  account_keys_kept: 'the key trees of an erased account stay',
  /** The seal of a request that the fold ignores keeps its key. */
  ignored_seal_kept: 'the text of an ignored repeat outlives its render',
  /** A process never reads a key tree again once the tree is in its cache. */
  cache_forever: 'a process uses a key tree that is lost or punctured',
  /** After a restore of the blob store, keys that it brought back stay. */
  puncture_not_repeated: 'a restored backup opens erased texts',
} as const;

export type Mutant = keyof typeof MUTANTS;

export const MUTANT_NAMES = Object.keys(MUTANTS) as readonly Mutant[];

export const isMutant = (name: string): name is Mutant => Object.hasOwn(MUTANTS, name);
