import * as E from 'fp-ts/lib/Either.js';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import type { StartAttempt } from '../../domain/dispatch/commands.ts';
import type { RenderEvent } from '../../domain/render/events.ts';
import type { EngineFault } from '../../engine/process/engine-fault.ts';
import type { ProgramLease } from '../../engine/raster/warm-programs.ts';
import { type RenderResult, renderComposition } from '../../engine/render-composition.ts';
import { isBlobStoreUnavailable } from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { retry, SHORT_RETRY_POLICY } from '../../platform/process/retry.ts';
import { usedPartsPath } from '../../schemas/blobs/paths.ts';
import { InfrastructureFault, requireFreeSpace } from '../environment/infrastructure-fault.ts';
import { fontSetKey, provideMissingAssets } from '../local-files/leased-files.ts';
import { type Stage, withinDeadline } from '../metering/stage-deadline.ts';
import type { workMeter } from '../metering/work-meter.ts';
import type { AttemptEvents } from './attempt-events.ts';
import type { AttemptDependencies } from './attempt-parts.ts';
import type { AttemptProgress } from './attempt-progress.ts';
import { budgetMs } from './budget.ts';
import { finalCompositionOf } from './final-composition.ts';
import { recordingCache } from './segments/recording-cache.ts';
import { storeOutageRetryPolicy } from './store-away.ts';
import { storeOutputs } from './store-outputs.ts';

export type AttemptRun = {
  readonly command: StartAttempt;
  readonly parts: AttemptDependencies;
  readonly events: AttemptEvents;
  readonly meter: Pick<ReturnType<typeof workMeter>, 'addCpu'>;
  readonly progress: AttemptProgress;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Rejects if the work was aborted. */
  readonly appendEvent: (event: RenderEvent) => Promise<void>;
  /** Throws if the work was aborted. */
  readonly enter: (stage: 'rendering' | 'storing') => void;
  readonly onDecoderDied: () => void;
};

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

const inStage = <A>(
  { parts, signal }: AttemptRun,
  stage: Stage,
  limit_ms: number,
  work: (signal: AbortSignal) => Promise<A>,
): Promise<A> => withinDeadline(stage, { limit_ms, signal, clock: parts.clock }, work);

const reportStoreAway = ({ parts }: AttemptRun): void => parts.impediments.report('blob_store');

/** The first failure already reports the store outage: other free slots of this worker would fail too. */
const withRetry = <A>(run: AttemptRun, ask: () => Promise<A>, signal: AbortSignal): Promise<A> =>
  retry(ask, {
    ...{ clock: run.parts.clock, signal, policy: SHORT_RETRY_POLICY, isTransient: isBlobStoreUnavailable },
    onFailure: () => reportStoreAway(run),
  });

const fetchComposition = async (run: AttemptRun, signal: AbortSignal): Promise<FinalComposition> =>
  finalCompositionOf(await withRetry(run, () => run.parts.blobs.getPayload(run.command.composition, signal), signal));

const store = async (run: AttemptRun, rendered: RenderResult, signal: AbortSignal): Promise<RenderEvent> => {
  const { outputs, poster } = await storeOutputs(run.command, rendered, (path, file, content_type) =>
    withRetry(run, () => run.parts.blobs.upload(path, file, { content_type, signal }), signal),
  );
  return run.events.completed(outputs, poster);
};

type Inputs = {
  readonly final: FinalComposition;
  /** Paths by asset id. */
  readonly assets: ReadonlyMap<string, string>;
  readonly own: string;
  readonly lease: ProgramLease;
};

const runEngine = async (
  run: AttemptRun,
  { final, assets, own, lease }: Inputs,
): Promise<E.Either<EngineFault, RenderResult>> => {
  const { command, parts, progress, signal } = run;
  const { render_id, attempt_id, project_id, account_id } = command;
  const helpers = parts.helpDesk.open({
    ...{ render_id, attempt_id, account_id, project_id },
    composition: command.composition,
  });
  return await renderComposition({
    final,
    assets,
    work_dir: own,
    ffmpeg_path: parts.ffmpeg_path,
    ffprobe_path: parts.ffprobe_path,
    sandbox: parts.sandbox,
    cache: recordingCache(parts.segments.of(account_id), (keys) =>
      parts.blobs.writeText(usedPartsPath(render_id, attempt_id), JSON.stringify(keys), signal),
    ),
    cores: parts.cores,
    owner: account_id,
    on_progress: progress.report,
    signal: signal,
    budget_ms: budgetMs(final),
    on_cpu: run.meter.addCpu,
    helpers,
    claims: parts.claims,
    openRasters: lease.open,
    frames: lease.frames,
  }).finally(helpers.close);
};

const renderWith = async (
  run: AttemptRun,
  final: FinalComposition,
  own: string,
  lease: ProgramLease,
): Promise<RenderEvent | null> => {
  const { command, parts, events, progress, signal } = run;
  const { render_id, project_id } = command;
  const { download_ms, upload_ms } = parts.deadlines;
  const owner = { project_id, render_id };
  const assets = await inStage(run, 'download', download_ms, (signal) =>
    withRetry(run, () => provideMissingAssets(parts.assets, owner, final.assets, lease.files, signal), signal),
  );
  run.enter('rendering');
  const rendered = await runEngine(run, { final, assets, own, lease });
  if (E.isLeft(rendered)) {
    if (rendered.left.tag === 'decoder_died') run.onDecoderDied();
    return engineEnd(rendered.left, events);
  }
  const frames = rendered.right.outputs[0]?.frames ?? progress.now().frames_total;
  // The fold ignores an outcome without progress, so the first progress must be in the log before it.
  progress.report({ frames_done: frames, frames_total: frames });
  await progress.firstAppended();
  const { frames_cached, frames_helped, encoder_ms } = rendered.right;
  const frames_encoded = frames - frames_cached - frames_helped;
  const work = { frames_encoded, frames_cached, frames_helped, engine_ms: encoder_ms };
  run.logger.info(work, 'all frames are rendered');
  parts.rendered(work);
  await run.appendEvent(events.finished({ frames, engine_ms: encoder_ms, frames_cached }));
  run.enter('storing');
  // All frames are encoded. The attempt keeps its slot until the store is back, because another attempt would encode
  // them again.
  return await retry(() => inStage(run, 'upload', upload_ms, (signal) => store(run, rendered.right, signal)), {
    ...{ clock: parts.clock, signal, isTransient: isBlobStoreUnavailable, policy: storeOutageRetryPolicy(parts.clock) },
    onFailure: () => reportStoreAway(run),
  });
};

/**
 * Downloads the composition and its media, renders and stores the files in the folder `own`.
 *
 * @returns the end of the attempt; null if it was cancelled
 */
export const renderAttempt = async (run: AttemptRun, own: string): Promise<RenderEvent | null> => {
  const { command, parts } = run;
  await requireFreeSpace(own, parts.segments.clear, parts.least_free_bytes);
  const final = await inStage(run, 'composition', parts.deadlines.composition_ms, (signal) =>
    fetchComposition(run, signal),
  );
  const lease = await parts.warm.lease(command.account_id, fontSetKey(final.assets));
  let well = false;
  try {
    const end = await renderWith(run, final, own, lease);
    well = end?.type === 'RenderCompleted';
    return end;
  } finally {
    await lease.release(well);
  }
};
