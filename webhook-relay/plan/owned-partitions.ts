import { setTimeout as pause } from 'node:timers/promises';
import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import { type OwnedPartition, ownedPartition } from './owned-partition.ts';
import { retry } from './retry.ts';
import { type StartingPointParts, startingPoint } from './starting-point.ts';
import { sourceOffsetBefore } from './status-records.ts';

/** The partitions that Kafka gives us. Each is held but for the moments in which it is being taken. */
export type OwnedPartitions = {
  /** Resolves once it is held; rejects if it is let go of before. */
  readonly take: (partition: number) => Promise<OwnedPartition>;
  /** Null while it is not ours, or being taken. */
  readonly held: (partition: number) => OwnedPartition | null;
  readonly all: () => readonly OwnedPartition[];
  /**
   * Another process has made it its own, though Kafka has not said so. It is taken again after a while: either that one
   * was mistaken, or Kafka takes it from us.
   */
  readonly lost: (held: OwnedPartition) => void;
  readonly letGo: (partition: number) => void;
  readonly letGoAll: () => void;
};

export type OwnedPartitionsParts = StartingPointParts & {
  readonly warn: Warn;
  readonly on_released: (partition: number) => void;
  /** It is held: for the first time, or again. */
  readonly on_held: (held: OwnedPartition) => void;
};

type Owned = {
  /** Aborts when Kafka takes it from us. */
  readonly life: AbortController;
  held: OwnedPartition | null;
  taking: Promise<OwnedPartition> | null;
};

const AGAIN_MS = 1_000;

export const ownedPartitions = (parts: OwnedPartitionsParts): OwnedPartitions => {
  const { records, warn } = parts;
  const owned = new Map<number, Owned>();

  const begin = async (partition: number, its: Owned): Promise<OwnedPartition> => {
    const { signal } = its.life;
    const held = await retry(
      async () => {
        const from = await startingPoint(parts, partition, signal);
        const before = await sourceOffsetBefore(records, partition, from.next_status);
        return ownedPartition(partition, from, before);
      },
      'a partition cannot be begun yet',
      warn,
      signal,
    );
    signal.throwIfAborted();
    its.held = held;
    parts.on_held(held);
    return held;
  };

  const takeOnce = (partition: number, its: Owned): Promise<OwnedPartition> => {
    its.taking ??= begin(partition, its).finally(() => {
      its.taking = null;
    });
    return its.taking;
  };

  const release = (its: Owned): void => {
    if (its.held === null) return;
    its.held.life.abort();
    parts.on_released(its.held.partition);
    its.held = null;
  };

  const letGo = (partition: number): void => {
    const its = owned.get(partition);
    if (its === undefined) return;
    its.life.abort();
    release(its);
    owned.delete(partition);
  };

  const takeAgain = async (partition: number, its: Owned): Promise<void> => {
    const { signal } = its.life;
    try {
      await pause(AGAIN_MS, undefined, { signal });
      if (its.held === null) await takeOnce(partition, its);
    } catch (error) {
      if (!signal.aborted) warn({ error, partition }, 'a partition was not taken again');
    }
  };

  return {
    take: async (partition) => {
      const its: Owned = owned.get(partition) ?? { life: new AbortController(), held: null, taking: null };
      owned.set(partition, its);
      return its.held ?? (await takeOnce(partition, its));
    },
    held: (partition) => owned.get(partition)?.held ?? null,
    all: () => [...owned.values()].flatMap(({ held }) => held ?? []),
    lost: (held) => {
      const { partition } = held;
      const its = owned.get(partition);
      if (its === undefined || its.held !== held) return;
      warn({ partition }, 'another relay has taken a partition of ours: it is taken again unless Kafka agrees');
      release(its);
      void takeAgain(partition, its);
    },
    letGo,
    letGoAll: () => {
      for (const partition of [...owned.keys()]) letGo(partition);
    },
  };
};
