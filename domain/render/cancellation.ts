import { actorKind } from '../event/meta.ts';
import type { RenderFailed } from './events.ts';
import type { Render, RenderStatus } from './render.ts';

/** The code of a render that was cancelled: it has failed, and is not charged. */
export const CANCELLED_CODE = 'cancelled';

/** Who may cancel: those who act for a customer, and operators. */
const CANCELLERS: ReadonlySet<string> = new Set(['key', 'user', 'operator']);

/** Whether a failure is somebody's wish, not a fault. */
export const isCancellation = ({ attempt_id, code, meta }: RenderFailed): boolean =>
  attempt_id === null && code === CANCELLED_CODE && CANCELLERS.has(actorKind(meta.actor));

/** No other failure has that code. */
export const isCancelled = ({ failure }: Pick<Render, 'failure'>): boolean => failure?.code === CANCELLED_CODE;

/** What a render is stopped in, as the `stage` of its failure. */
export const stageOf = (status: RenderStatus): string => {
  switch (status) {
    case 'initializing':
      return 'preparation';
    case 'ready':
    case 'queued':
      return 'dispatch';
    case 'processing':
      return 'rendering';
    case 'finalizing':
    case 'complete':
    case 'failed':
      return 'storing';
  }
};
