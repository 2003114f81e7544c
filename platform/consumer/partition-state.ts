import { type TopicPartition, topicPartitionKey } from './topic-partition.ts';

export type PartitionState = TopicPartition & {
  /** The group generation in which this process got the partition; null while another member may own it. */
  readonly owned_since: number | null;
  /** The position is not known yet in this generation, so the partition is not read. */
  readonly is_pending: boolean;
  /** The search for the position. `expected` is the expected offset when the search began. */
  readonly search: { readonly generation: number; readonly expected: number | null } | null;
  /** Calls of `on_revoked` in flight. A search begins only after them. */
  readonly revocations: number;
  /** The next batch begins at this offset; null until a position is known. */
  readonly expected: number | null;
  readonly committed: number | null;
  /** The expected offset at which the last batch was rejected because it began at another offset. */
  readonly misaligned: number | null;
  /** The current batch is slow, so other partitions do not wait for it. */
  readonly is_slow: boolean;
  readonly is_paused: boolean;
  readonly is_stopped: boolean;
};

/** Partitions by `topicPartitionKey`. A lost partition stays until its revocation has ended. */
export type ConsumerState = {
  readonly generation: number;
  readonly member_id: string;
  /** The group waits for this member to join again. */
  readonly is_rebalancing: boolean;
  /** The consumer crashed or left the group, so it processes no batch. */
  readonly has_ended: boolean;
  readonly partitions: ReadonlyMap<string, PartitionState>;
};

export const NO_ASSIGNMENT: ConsumerState = {
  ...{ generation: 0, member_id: '', is_rebalancing: false, has_ended: false, partitions: new Map() },
};

export const releasedState = ({ topic, partition }: TopicPartition): PartitionState => ({
  ...{ topic, partition, owned_since: null, is_pending: false, search: null, revocations: 0 },
  ...{ expected: null, committed: null, misaligned: null, is_slow: false, is_paused: false, is_stopped: false },
});

export const ownedPartitions = ({ partitions }: ConsumerState): readonly PartitionState[] =>
  [...partitions.values()].filter(({ owned_since }) => owned_since !== null);

export const ownedPartition = ({ partitions }: ConsumerState, key: string): PartitionState | undefined => {
  const one = partitions.get(key);
  return one === undefined || one.owned_since === null ? undefined : one;
};

export const canFetch = ({ has_ended }: ConsumerState, one: PartitionState): boolean =>
  !(has_ended || one.owned_since === null || one.is_pending || one.is_slow || one.is_stopped || one.is_paused);

export const hasPending = (state: ConsumerState): boolean =>
  ownedPartitions(state).some(({ is_pending }) => is_pending);

/** The keys are those of `topicPartitionKey`. */
export const offsetsToCommit = (state: ConsumerState): ReadonlyMap<string, number> =>
  new Map(
    ownedPartitions(state).flatMap((one) =>
      one.expected === null || one.expected === one.committed ? [] : [[topicPartitionKey(one), one.expected] as const],
    ),
  );
