import { rm } from 'node:fs/promises';
import type { StartAttempt } from '../../domain/dispatch/commands.ts';
import type { FailedAttempt, RunningAttempt } from '../../domain/dispatch/heartbeats.ts';
import type { RenderEvent } from '../../domain/render/events.ts';
import { attemptLossInFolder, isUnexpected } from '../environment/infrastructure-fault.ts';
import type { Headers } from '../log/record-author.ts';
import { workMeter } from '../metering/work-meter.ts';
import { attemptEvents } from './attempt-events.ts';
import type { AttemptDependencies } from './attempt-parts.ts';
import { attemptProgress } from './attempt-progress.ts';
import { type AttemptRun, renderAttempt } from './render-attempt.ts';

export type Attempt = {
  readonly shown: () => RunningAttempt;
  /** False when only the append of the outcome remains, or while the attempt stops. */
  readonly takesSlot: () => boolean;
  readonly cost: () => FailedAttempt;
  /** Stops the work and appends nothing, because the log has already ended the attempt. */
  readonly stop: () => void;
  /** Stops the work and returns the render to the dispatcher, unless the outcome is already being appended. */
  readonly handBack: () => void;
  /** Never rejects. */
  readonly ended: Promise<void>;
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
  parts: AttemptDependencies,
  life: AbortSignal,
  onChange: () => void,
): Attempt => {
  const { render_id, attempt_id, n, account_id } = command;
  const { append, by } = parts;
  const logger = parts.logger.child({ render_id, attempt_id });
  const events = attemptEvents(by, command);
  const meter = workMeter();
  /** `work` aborts the work, `appending` the appends. */
  const work = new AbortController();
  const appending = new AbortController();
  const appendSignal = AbortSignal.any([appending.signal, life]);
  let stage: 'fetching' | 'rendering' | 'storing' = 'fetching';
  let reporting = false;
  let stopped = false;
  /**
   * The first crash of a decoder may be this machine's fault. The second one counts as the media's fault, as in a
   * preparation: its cost counts against the account, although the render returns to the dispatcher.
   */
  let died_again = false;

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
  const progress = attemptProgress(command.frames, (now) => appendEvent(events.progressed(now)));
  const attempt: AttemptRun = {
    ...{ command, parts, events, meter, progress, signal: work.signal, logger, appendEvent, enter },
    onDecoderDied: () => {
      died_again = n > 1;
    },
  };

  const run = async (): Promise<void> => {
    let end: RenderEvent | null = null;
    let own: string | null = null;
    try {
      own = await parts.folder.render(attempt_id);
      end = await renderAttempt(attempt, own);
    } catch (fault) {
      if (!work.signal.aborted) {
        if (isUnexpected(fault)) logger.error({ error: fault }, 'an attempt was broken off by an exception');
        else logger.warn({ error: fault }, 'an attempt was broken off by its infrastructure');
        const { reason, detail, impediment } = await attemptLossInFolder(own, fault, stage === 'fetching');
        // Reported before the loss is in the log, so that the dispatcher knows the impediment first.
        if (impediment !== null) parts.impediments.report(impediment);
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
    if (end !== null && end.type !== 'AttemptLost') parts.impediments.reportSuccess();
    if (appendSignal.aborted) return;
    await appendEvent(end ?? events.lost('drained', null));
    logger.info({ end: end?.type ?? 'AttemptLost' }, 'an attempt has ended');
  };

  return {
    shown: () => ({ render_id, attempt_id, stage, ...progress.now() }),
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
