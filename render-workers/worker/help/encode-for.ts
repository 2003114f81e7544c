import type * as E from 'fp-ts/lib/Either.js';
import { right } from 'fp-ts/lib/Either.js';
import type { HelpWanted, SegmentSpan } from '../../../domain/dispatch/heartbeats.ts';
import { type HelpResult, helpComposition } from '../../../engine/help-composition.ts';
import type { Segment } from '../../../engine/plan/render-plan.ts';
import type { EngineFault } from '../../../engine/process/engine-fault.ts';
import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { usedPartsPath } from '../../../schemas/blobs/paths.ts';
import { requireFreeSpace } from '../../environment/infrastructure-fault.ts';
import type { AttemptDependencies } from '../attempt-parts.ts';
import { budgetMs } from '../budget.ts';
import { finalCompositionOf } from '../final-composition.ts';
import { recordingCache } from '../segments/recording-cache.ts';
import type { SegmentCaches } from '../segments/segment-caches.ts';
import type { HelpCoordinator } from './help-desk.ts';
import { waitForHeartbeat } from './read-back.ts';

type OfAttempts =
  | ('assets' | 'blobs' | 'folder' | 'ffmpeg_path' | 'ffprobe_path')
  | ('sandbox' | 'least_free_bytes' | 'cores' | 'logger' | 'clock');

export type HelpRunnerDependencies = Pick<AttemptDependencies, OfAttempts> & {
  readonly desk: HelpCoordinator;
  readonly segments: Pick<SegmentCaches, 'shared'>;
  /** Slots that are free for help; 0 while this worker takes no new work. */
  readonly free: () => number;
  readonly beat: () => void;
  /** Called with the number of segments that were encoded for other workers. */
  readonly helped: (segments: number) => void;
};

export type HelpInProgress = {
  readonly life: AbortController;
  readonly taken: SegmentSpan[];
  readonly stored: Set<number>;
};

/** Claims the next segments. The claim counts when this worker reads it back and no other worker came first. */
const claimNext = async (
  { desk, beat, logger, clock }: HelpRunnerDependencies,
  attempt_id: string,
  { taken, life: { signal } }: HelpInProgress,
  frames: readonly number[],
  frames_per_s: number,
): Promise<SegmentSpan | null> => {
  while (!signal.aborted) {
    const wanted = desk.wantedFor(attempt_id);
    const span = wanted === null ? null : desk.spanToTake(wanted, { frames, frames_per_s });
    if (span === null) return null;
    taken.push(span);
    beat();
    const is_own = await waitForHeartbeat({ desk, clock }, () => desk.isOwn(attempt_id, span), signal);
    if (is_own === true) {
      logger.info({ attempt_id, ...span }, 'segments of the film of another worker are encoded here');
      return span;
    }
    taken.splice(taken.indexOf(span), 1);
    beat();
    if (is_own === null) return null;
  }
  return null;
};

/** Encodes and stores segments of another worker's render in the folder `own`, until none is left to claim. */
export const encodeForHelpedRender = async (
  parts: HelpRunnerDependencies,
  wanted: HelpWanted,
  of: HelpInProgress,
  own: string,
): Promise<E.Either<EngineFault, HelpResult>> => {
  const { render_id, attempt_id, account_id, project_id } = wanted;
  const { desk, beat } = parts;
  const { signal } = of.life;
  const needed = await waitForHeartbeat(
    parts,
    () => (desk.wantedFor(attempt_id) === null ? false : desk.isNeeded(wanted) || null),
    signal,
  );
  if (needed !== true) return right('nothing_left');
  // The check evicts nothing, because attempts may use the files on this disk.
  await requireFreeSpace(own, async () => undefined, parts.least_free_bytes);
  const final = finalCompositionOf(await parts.blobs.getPayload(wanted.composition, signal));
  const assets = await parts.assets.provide({ project_id, render_id }, final.assets, own, signal);
  // Each help has its own path, so that it does not overwrite the notes of earlier help.
  const used = usedPartsPath(render_id, `help-${mintUlid()}`);
  return await helpComposition({
    ...{ final, assets, work_dir: own, ffmpeg_path: parts.ffmpeg_path, ffprobe_path: parts.ffprobe_path },
    ...{ sandbox: parts.sandbox, cores: parts.cores, owner: account_id, signal, budget_ms: budgetMs(final) },
    cache: recordingCache(parts.segments.shared(account_id), (keys) =>
      parts.blobs.writeText(used, JSON.stringify(keys), signal),
    ),
    parts_sha256: wanted.parts_sha256,
    take: (segments: readonly Segment[], fps) =>
      claimNext(
        parts,
        attempt_id,
        of,
        segments.map(({ from, until }) => until - from),
        fps.num / fps.den,
      ),
    stored: (segment) => {
      if (of.stored.has(segment)) return;
      of.stored.add(segment);
      parts.helped(1);
      beat();
    },
  });
};
