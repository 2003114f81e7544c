import { actorKind } from '../event/meta.ts';
import type { RenderFailed } from './events.ts';
import type { Render, RenderStatus } from './render.ts';

/** A cancelled render has the status `failed` and is not charged. */
export const CANCELLED_CODE = 'cancelled';

const CANCELLERS: ReadonlySet<string> = new Set(['key', 'user', 'operator']);

export const isCancellation = ({ attempt_id, code, meta }: RenderFailed): boolean =>
  attempt_id === null && code === CANCELLED_CODE && CANCELLERS.has(actorKind(meta.actor));

export const isCancelled = ({ failure }: Pick<Render, 'failure'>): boolean => failure?.code === CANCELLED_CODE;

export const cancelledStageOf = (status: RenderStatus): string => {
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
