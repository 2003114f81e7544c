import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { firstDifference } from '../../platform/proof-log/first-difference.ts';
import { openedCheckpoint } from '../../platform/proof-log/heads-log.ts';
import { type NotarizedTopic, placeText } from '../../platform/proof-log/notarized-topics.ts';
import { verifyHeads } from '../../platform/proof-log/verify-heads.ts';
import { type VerifierKey, verifierKeyText } from '../../proofs/notes/keys.ts';
import type { CliFault } from '../fault.ts';
import { asSigned, listedKeys, type Proofs, publishedCheckpoint } from '../notary/proofs.ts';

export type VerifiedPartition = {
  readonly partition: string;
  readonly records: number;
  /** How many of them were signed, and are as they were then. */
  readonly signed: number;
};

export type VerifiedTopics = {
  readonly log: string;
  readonly keys: readonly string[];
  /** Whether the keys are those that are listed beside the proofs, and not the caller's. */
  readonly listed: boolean;
  /** Entries that the checkpoints cover: the one that was given, and the newest. */
  readonly checkpoints: readonly number[];
  readonly partitions: readonly VerifiedPartition[];
};

export type Asked = {
  readonly topics: readonly NotarizedTopic[];
  /** Null: those that are listed beside the proofs. */
  readonly keys: readonly VerifierKey[] | null;
  /** The text of a checkpoint of before; null: the newest alone. */
  readonly checkpoint: string | null;
  readonly stop: AbortSignal;
  readonly onProgress: (place: string, done: number, all: number) => void;
};

const PROGRESS_MS = 2_000;
/** While records of one partition are waited for, those of others are hashed. */
const AT_ONCE = 4;

/**
 * Computes the trees of topics anew from the log, and compares them with the stored tiles and with what was signed: all
 * of it must be below the newest checkpoint, and below the one that was given.
 */
export const verifyTopics = (proofs: Proofs, asked: Asked): Promise<E.Either<CliFault, VerifiedTopics>> =>
  asSigned('the log', async () => {
    const { origin, blobs, paths, log } = proofs;
    const keys = asked.keys === null ? await listedKeys(proofs) : E.right(asked.keys);
    if (E.isLeft(keys)) return keys;
    const newest = await publishedCheckpoint(proofs, keys.right);
    if (E.isLeft(newest)) return newest;
    const given = asked.checkpoint === null ? E.right(null) : openedCheckpoint(asked.checkpoint, keys.right);
    if (E.isLeft(given)) return E.left({ tag: 'refused', reason: 'no_checkpoint', message: given.left });
    const found = [...(given.right === null ? [] : [given.right]), newest.right.checkpoint];
    const foreign = found.find((one) => one.origin !== origin);
    if (foreign !== undefined) {
      const message = `the checkpoint is of ${foreign.origin}, and this log is ${origin}`;
      return E.left({ tag: 'refused', reason: 'another_log', message });
    }
    const checkpoints = found.toSorted((a, b) => a.size - b.size);
    if (given.right !== null && given.right.size > newest.right.checkpoint.size) {
      const differences = [
        `the log of heads has ${newest.right.checkpoint.size} entries, and ${given.right.size} were signed`,
      ];
      return E.left({ tag: 'not_as_signed', what: origin, differences });
    }
    const heads = await verifyHeads(blobs, paths, checkpoints);
    if (heads.tag === 'differs') return E.left({ tag: 'not_as_signed', what: origin, differences: [heads.said] });

    let told_at = SYSTEM_CLOCK.monotonic();
    const bounds = await Promise.all(
      asked.topics.map(async (topic) => (await log.bounds(topic)).map((one) => ({ topic, ...one }))),
    );
    const verified = await pLimit(AT_ONCE).map(bounds.flat(), async ({ topic, partition, end }) => {
      const place = { topic, partition };
      const signed = heads.signed.get(placeText(place)) ?? [];
      const all = signed.at(-1)?.size ?? 0;
      let done = 0;
      const onLeaves = (count: number): void => {
        done += count;
        if (SYSTEM_CLOCK.monotonic() - told_at < PROGRESS_MS) return;
        told_at = SYSTEM_CLOCK.monotonic();
        asked.onProgress(placeText(place), done, all);
      };
      const found = asked.stop.aborted ? null : await firstDifference({ log, blobs, paths }, place, signed, onLeaves);
      return { partition: { partition: placeText(place), records: end, signed: all }, found };
    });
    if (asked.stop.aborted) return E.left({ tag: 'interrupted' });
    const differences = verified.flatMap(({ found }) => found?.said ?? []);
    const partitions = verified.map(({ partition }) => partition);
    return differences.length > 0
      ? E.left({ tag: 'not_as_signed', what: origin, differences })
      : E.right({
          log: origin,
          keys: keys.right.map(verifierKeyText),
          listed: asked.keys === null,
          checkpoints: checkpoints.map(({ size }) => size),
          partitions,
        });
  });
