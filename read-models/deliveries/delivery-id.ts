import { createHash } from 'node:crypto';
import type { EventKind } from '../../domain/webhooks/event-kinds.ts';

/** `hook_` and 32 hex digits. They are derived from the delivery's subject, so a repeat is the same delivery. */
export const deliveryId = (endpoint_id: string, render_id: string, seq: number, event: EventKind): string =>
  `hook_${createHash('sha256')
    .update(JSON.stringify([endpoint_id, render_id, seq, event]))
    .digest('hex')
    .slice(0, 32)}`;
