import { rm } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import type { StartAttempt } from '../../domain/dispatch/commands.ts';
import type { FailedAttempt, RunningAttempt } from '../../domain/dispatch/heartbeats.ts';
import type { Output, RenderEvent } from '../../domain/render/events.ts';
import type { EngineFault } from '../../engine/process/engine-fault.ts';
import type { Lease, WarmPrograms } from '../../engine/raster/warm-programs.ts';
import type { PartClaims } from '../../engine/render/part-claims.ts';
import { type Rendered, renderComposition } from '../../engine/render-composition.ts';
import { type BlobStore, isBlobStoreUnavailable } from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { HALF_A_MINUTE, retry } from '../../platform/process/retry.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { outputPath, usedPartsPath } from '../../schemas/blobs/paths.ts';
import type { Impediments } from '../environment/impediments.ts';
import { InfrastructureFault, isUnexpected, lossIn, requireFreeSpace } from '../environment/infrastructure-fault.ts';
import type { AssetCache } from '../local-files/asset-cache.ts';
import { fontsOf, provideOnce } from '../local-files/leased-files.ts';
import type { WorkFolder } from '../local-files/work-folder.ts';
import type { Append } from '../log/append-until-known.ts';
import type { Author, Headers } from '../log/record-author.ts';
import { type Stage, withinDeadline } from '../metering/stage-deadline.ts';
import { workMeter } from '../metering/work-meter.ts';
import type { AttemptDeadlines } from './attempt-deadlines.ts';
import { type AttemptEvents, attemptEvents, type Progress } from './attempt-events.ts';
import { budgetMs } from './budget.ts';
import { finalCompositionOf } from './final-composition.ts';
import type { HelpDesk } from './help/help-desk.ts';
import { notedCache } from './segments/noted-cache.ts';
import type { SegmentCaches } from './segments/segment-caches.ts';
import { whileStoreIsAway } from './store-away.ts';
import type { EngineWork } from './worker-metrics.ts';

export type AttemptParts = {
  readonly append: Append;
  readonly blobs: BlobStore;
  readonly assets: Pick<AssetCache, 'provide' | 'sizeOf'>;
  readonly segments: Pick<SegmentCaches, 'of' | 'clear'>;
  readonly folder: WorkFolder;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  readonly deadlines: AttemptDeadlines;
  readonly impediments: Pick<Impediments, 'met' | 'worked'>;
  /** No attempt starts below this free space. */
  readonly least_free_bytes: number;
  /** Maximum of concurrent encoding processes of one attempt. */
  readonly cores: number;
  readonly helpDesk: Pick<HelpDesk, 'open'>;
  readonly claims: PartClaims;
  /** Running raster programs by account. */
  readonly warm: Pick<WarmPrograms, 'lease'>;
  readonly rendered: (work: EngineWork) => void;
  /** Called when a render fails by its own fault, or when its decoders crash a second time. */
  readonly spent: (attempt: FailedAttempt) => void;
  readonly by: Author;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** One attempt in progress. */
export type Attempt = {
  readonly shown: () => RunningAttempt;
  /** False when only the append of the outcome remains, or while the attempt stops. */
  readonly takesSlot: () => boolean;
  /** Cost of the attempt so far. */
  readonly cost: () => FailedAttempt;
  /** Stops the work and appends nothing, because the log has already ended the attempt. */
  readonly stop: () => void;
  /** Stops the work and returns the render to the dispatcher, unless the outcome is already being appended. */
  readonly handBack: () => void;
  /** Never rejects. */
  readonly ended: Promise<void>;
};

/** Name of the animated preview among the outputs. */
const PREVIEW = 'preview';
const ENDINGS = { 'video/mp4': 'mp4', 'image/webp': 'webp', 'image/jpeg': 'jpg' } as const;

/** Null if the attempt was cancelled: it appends nothing. */
const engineEnd = (fault: EngineFault, events: AttemptEvents): RenderEvent | null => {
  switch (fault.tag) {
    case 'composition':
      return events.failed(fault);
    case 'over_budget':
      return events.failed({ code: 'over_budget', message: `the rendering ${fault.message}` });
    case 'infrastructure':
    case 'decoder_died':
      throw new InfrastructureFault('engine', fault.message);
    case 'cancelled':
      return null;
  }
};

/**
 * Starts an attempt: downloads the composition and its media, renders, stores, and appends each step. It always ends with
 * one record: `RenderCompleted`, `RenderFailed` if a retry would not help, or `AttemptLost`.
 *
 * @param life aborts when the process must exit
 * @param onChange called when the stage changes or the attempt ends
 */
export const startAttempt = (
  command: StartAttempt,
  headers: Headers,
  parts: AttemptParts,
  life: AbortSignal,
  onChange: () => void,
): Attempt => {
  const { render_id, attempt_id, n, project_id, account_id } = command;
  const { append, blobs, by, clock } = parts;
  const logger = parts.logger.child({ render_id, attempt_id });
  const events = attemptEvents(by, command);
  const meter = workMeter();
  /** `work` aborts the work, `appending` the appends. */
  const work = new AbortController();
  const appending = new AbortController();
  const appendSignal = AbortSignal.any([appending.signal, life]);
  let progress: Progress = { frames_done: 0, frames_total: command.frames };
  let stage: 'fetching' | 'rendering' | 'storing' = 'fetching';
  let reporting = false;
  let stopped = false;
  /** The cost counts against the account although the render returns to the dispatcher. */
  let died_again = false;
  let first: Promise<void> | null = null;

  const cost = (): FailedAttempt => ({ attempt_id, account_id, cpu_ms: Math.ceil(meter.cost().cpu_ms) });

  const appendEvent = async (event: RenderEvent): Promise<void> => {
    await append('render-events', render_id, event, { headers, signal: appendSignal });
    appendSignal.throwIfAborted();
  };
  const enter = (next: typeof stage): void => {
    work.signal.throwIfAborted();
    stage = next;
    onChange();
  };
  const inStage = <A>(transfer: Stage, limit_ms: number, run: (signal: AbortSignal) => Promise<A>): Promise<A> =>
    withinDeadline(transfer, { limit_ms, signal: work.signal, clock }, run);
  const storeAway = (): void => parts.impediments.met('blob_store');
  /** The first failure already reports the store outage: other free slots of this worker would fail too. */
  const withRetry = <A>(ask: () => Promise<A>, signal: AbortSignal): Promise<A> =>
    retry(ask, { clock, signal, policy: HALF_A_MINUTE, isTransient: isBlobStoreUnavailable, onFailure: storeAway });

  const onProgress = (now: Progress): void => {
    progress = now;
    if (now.frames_done === 0 || first !== null) return;
    first = appendEvent(events.progressed(now));
    // The attempt awaits it again before it ends.
    first.catch(() => undefined);
  };

  const fetchComposition = async (signal: AbortSignal): Promise<FinalComposition> => {
    return finalCompositionOf(await withRetry(() => blobs.getPayload(command.composition, signal), signal));
  };

  const storeOne = async (variant: string, made: Stored, signal: AbortSignal): Promise<Output> => {
    const { file, width, height, duration_ms, content_type } = made;
    const path = outputPath(render_id, attempt_id, `${variant}.${ENDINGS[content_type]}`);
    const { size_bytes, sha256 } = await withRetry(() => blobs.upload(path, file, { content_type, signal }), signal);
    return { variant, path, content_type, size_bytes, sha256, width, height, duration_ms };
  };

  const store = async ({ outputs, preview, poster }: Rendered, signal: AbortSignal): Promise<RenderEvent> => {
    const stored: Output[] = [];
    for (const output of outputs) stored.push(await storeOne(output.variant, output, signal));
    if (preview !== null) stored.push(await storeOne(PREVIEW, preview, signal));
    return events.completed(stored, await storeOne('poster', { ...poster, duration_ms: 0 }, signal));
  };

  const make = async (own: string): Promise<RenderEvent | null> => {
    await requireFreeSpace(own, parts.segments.clear, parts.least_free_bytes);
    const final = await inStage('composition', parts.deadlines.composition_ms, fetchComposition);
    const lease = await parts.warm.lease(account_id, fontsOf(final.assets));
    let well = false;
    try {
      const end = await makeOf(final, own, lease);
      well = end?.type === 'RenderCompleted';
      return end;
    } finally {
      await lease.release(well);
    }
  };

  const makeOf = async (final: FinalComposition, own: string, lease: Lease): Promise<RenderEvent | null> => {
    const { download_ms, upload_ms } = parts.deadlines;
    const owner = { project_id, render_id };
    const assets = await inStage('download', download_ms, (signal) =>
      withRetry(() => provideOnce(parts.assets, owner, final.assets, lease.files, signal), signal),
    );
    enter('rendering');
    const { composition } = command;
    const helpers = parts.helpDesk.open({ ...{ render_id, attempt_id, account_id, project_id }, composition });
    const rendered = await renderComposition({
      final,
      assets,
      work_dir: own,
      ffmpeg_path: parts.ffmpeg_path,
      ffprobe_path: parts.ffprobe_path,
      sandbox: parts.sandbox,
      cache: notedCache(parts.segments.of(account_id), (keys) =>
        blobs.writeText(usedPartsPath(render_id, attempt_id), JSON.stringify(keys), work.signal),
      ),
      cores: parts.cores,
      owner: account_id,
      on_progress: onProgress,
      signal: work.signal,
      budget_ms: budgetMs(final),
      on_cpu: meter.ran,
      helpers,
      claims: parts.claims,
      openRasters: lease.open,
      frames: lease.frames,
    }).finally(helpers.close);
    if (E.isLeft(rendered)) {
      // The first crash may be this machine's fault. The second counts as the media's fault, as in a preparation.
      died_again = rendered.left.tag === 'decoder_died' && n > 1;
      return engineEnd(rendered.left, events);
    }
    const frames = rendered.right.outputs[0]?.frames ?? progress.frames_total;
    // The fold ignores an outcome without progress, so the first progress must be in the log before it.
    onProgress({ frames_done: frames, frames_total: frames });
    await first;
    const { frames_cached, frames_helped, encoder_ms } = rendered.right;
    const frames_encoded = frames - frames_cached - frames_helped;
    const made = { frames_encoded, frames_cached, frames_helped, engine_ms: encoder_ms };
    logger.info(made, 'all frames are rendered');
    parts.rendered(made);
    await appendEvent(events.finished({ frames, engine_ms: encoder_ms, frames_cached }));
    enter('storing');
    // All frames are encoded. The attempt keeps its slot until the store is back, because another attempt would encode
    // them again.
    return await retry(() => inStage('upload', upload_ms, (signal) => store(rendered.right, signal)), {
      ...{ clock, signal: work.signal, isTransient: isBlobStoreUnavailable, policy: whileStoreIsAway(clock) },
      onFailure: storeAway,
    });
  };

  const run = async (): Promise<void> => {
    let end: RenderEvent | null = null;
    let own: string | null = null;
    try {
      own = await parts.folder.render(attempt_id);
      end = await make(own);
    } catch (fault) {
      if (!work.signal.aborted) {
        if (isUnexpected(fault)) logger.error({ error: fault }, 'an attempt was broken off by an exception');
        else logger.warn({ error: fault }, 'an attempt was broken off by its infrastructure');
        const { reason, detail, impediment } = await lossIn(own, fault, stage === 'fetching');
        // Reported before the loss is in the log, so that the dispatcher knows the impediment first.
        if (impediment !== null) parts.impediments.met(impediment);
        end = events.lost(reason, detail);
      }
    }
    if (own !== null) {
      await rm(own, { recursive: true, force: true, maxRetries: 5 }).catch((error: unknown) =>
        logger.warn({ error }, 'the work folder could not be removed'),
      );
    }
    reporting = true;
    if (end?.type === 'RenderFailed' || died_again) {
      parts.spent(cost());
    }
    if (end !== null && end.type !== 'AttemptLost') parts.impediments.worked();
    if (appendSignal.aborted) return;
    await appendEvent(end ?? events.lost('drained', null));
    logger.info({ end: end?.type ?? 'AttemptLost' }, 'an attempt has ended');
  };

  return {
    shown: () => ({ render_id, attempt_id, stage, ...progress }),
    takesSlot: () => !reporting && !stopped,
    cost,
    stop: () => {
      stopped = true;
      appending.abort();
      work.abort();
    },
    handBack: () => {
      if (!reporting) work.abort();
    },
    ended: run().catch((error: unknown) => {
      if (!appendSignal.aborted) logger.error({ error }, 'an attempt ended without reporting an outcome');
    }),
  };
};

type Stored = {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly duration_ms: number;
  readonly content_type: keyof typeof ENDINGS;
};
