import * as E from 'fp-ts/lib/Either.js';
import { decideFact } from '../../domain/render/decide.ts';
import type { RenderFailed, RenderPrepared } from '../../domain/render/events.ts';
import type { Prepared, Render } from '../../domain/render/render.ts';
import type { RenderFactAccepted } from '../../domain/render/status.ts';
import type { ConsumerPositions } from '../../platform/consumer-position/consumer-positions.ts';
import { traceOf } from '../../platform/event-log/trace.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { Append } from '../log/append-until-known.ts';
import type { Author, Headers } from '../log/fact-meta.ts';
import { type HandOver, handOver } from '../log/hand-over.ts';
import type { PreparationFault } from './preparation-fault.ts';
import type { PreparationQueue } from './preparation-queue.ts';

export type PreparerParts = {
  readonly records: RecordLog;
  readonly append: Append;
  readonly positions: ConsumerPositions;
  readonly queue: PreparationQueue;
  /** False where the read model shows the render further on; true where it is not known. */
  readonly isInitializing: (render_id: string) => Promise<boolean>;
  /** Rejects when the signal aborts. */
  readonly prepare: (render: Render, stop: AbortSignal) => Promise<E.Either<PreparationFault, Prepared>>;
  readonly by: Author;
  readonly logger: Logger;
  readonly crash: (error: unknown) => void;
};

type Fact = RenderPrepared | RenderFailed;

/** A project can have many faults at once; a fact has a bound. */
const MOST_MESSAGE = 2_000;
const bounded = (message: string): string =>
  message.length <= MOST_MESSAGE ? message : `${message.slice(0, MOST_MESSAGE).toWellFormed()}…`;

const factOf = (by: Author, accepted: RenderFactAccepted, outcome: E.Either<PreparationFault, Prepared>): Fact => {
  const { render_id, render } = accepted;
  const meta = by(accepted.meta.causation_id, render.correlation_id);
  return E.isRight(outcome)
    ? { type: 'RenderPrepared', meta, render_id, ...outcome.right }
    : {
        type: 'RenderFailed',
        meta,
        render_id,
        attempt_id: null,
        stage: 'preparation',
        ...outcome.left,
        message: bounded(outcome.left.message),
      };
};

/** Prepares one render and appends what came of it; until then its offset stays unfinished. */
const prepareOne = async (
  parts: PreparerParts,
  accepted: RenderFactAccepted,
  headers: Headers,
  signal: AbortSignal,
): Promise<void> => {
  const { render_id, render } = accepted;
  if (!(await parts.isInitializing(render_id))) return;
  const outcome = await parts.prepare(render, signal);
  const fact = factOf(parts.by, accepted, outcome);
  const verdict = decideFact(render, fact, Date.now());
  if (E.isLeft(verdict)) {
    parts.logger.warn({ render_id, fact: fact.type, reason: verdict.left }, 'not appended: it would be ignored');
    return;
  }
  for (const decided of verdict.right) await parts.append('render-events', render_id, decided, { headers, signal });
  signal.throwIfAborted();
  if (E.isLeft(outcome)) parts.logger.info({ render_id, ...outcome.left }, 'a render cannot be prepared');
};

/** Follows `render-status` and has every new render prepared. Its consumer only hands over. */
export const startPreparer = async (parts: PreparerParts): Promise<HandOver> =>
  await handOver({
    ...parts,
    group: 'preparer',
    topic: 'render-status',
    jobOf: ({ record, source }) =>
      record.type === 'RenderFactAccepted' && record.transition?.to === 'initializing'
        ? {
            account_id: record.render.account_id,
            run: (signal) => prepareOne(parts, record, traceOf(source.headers), signal),
          }
        : null,
  });
