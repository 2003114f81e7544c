import { actorKind } from '../event/meta.ts';
import type { RenderFailed } from './events.ts';
import type { Render, RenderStatus } from './render.ts';

/** The failure code of a cancelled render. The render has failed and is not charged. */
export const CANCELLED_CODE = 'cancelled';

/** The kinds of actor that may cancel: those that act for a customer, and operators. */
const CANCELLERS: ReadonlySet<string> = new Set(['key', 'user', 'operator']);

/** True if a failure is a request by a person or client, and not a fault. */
export const isCancellation = ({ attempt_id, code, meta }: RenderFailed): boolean =>
  attempt_id === null && code === CANCELLED_CODE && CANCELLERS.has(actorKind(meta.actor));

/** Other failures never have this code. */
export const isCancelled = ({ failure }: Pick<Render, 'failure'>): boolean => failure?.code === CANCELLED_CODE;

/** The stage of a cancelled render, for the `stage` of its failure. */
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
