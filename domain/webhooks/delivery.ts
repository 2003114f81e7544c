import type { DeliveryPlanned, DeliveryRequested, DeliverySkipped, WebhookEvent } from './delivery-events.ts';

export type DeliveryStage = 'requested' | 'pending' | 'succeeded' | 'exhausted' | 'skipped';

export type Delivery = {
  readonly id: string;
  readonly endpoint_id: string;
  readonly team_id: string;
  readonly render_id: string;
  readonly seq: number;
  readonly event: string;
  readonly status_offset: number | null;
  readonly repeats: string | null;
  readonly stage: DeliveryStage;
  readonly reason: string | null;
  readonly attempts: number;
};

export type DeliveryVerdict =
  | { readonly tag: 'accepted'; readonly delivery: Delivery }
  | { readonly tag: 'ignored'; readonly reason: string };

const ignored = (reason: string): DeliveryVerdict => ({ tag: 'ignored', reason });

const begun = (
  event: DeliveryRequested | DeliveryPlanned | DeliverySkipped,
  stage: DeliveryStage,
  reason: string | null,
): DeliveryVerdict => {
  const { delivery_id: id, endpoint_id, team_id, render_id, seq, event: kind, status_offset, repeats } = event;
  const about = { id, endpoint_id, team_id, render_id, seq, event: kind, status_offset, repeats };
  return { tag: 'accepted', delivery: { ...about, stage, reason, attempts: 0 } };
};

export const isEnded = ({ stage }: Delivery): boolean => stage !== 'requested' && stage !== 'pending';

const changed = (delivery: Delivery, change: Partial<Delivery>): DeliveryVerdict => ({
  tag: 'accepted',
  delivery: { ...delivery, ...change },
});

/**
 * Ignores repeats, so the relay may append any event again after a crash. Two relays may briefly work on the same
 * delivery; then a sent delivery overrides a skipped one. So a plan or an attempt reopens a skipped delivery, and
 * success is final.
 *
 * @param delivery null until an event was accepted
 */
export const evolveDelivery = (delivery: Delivery | null, event: WebhookEvent): DeliveryVerdict => {
  if (delivery === null) {
    if (event.type === 'DeliveryRequested') return begun(event, 'requested', null);
    if (event.type === 'DeliveryPlanned') return begun(event, 'pending', null);
    return event.type === 'DeliverySkipped' ? begun(event, 'skipped', event.reason) : ignored('not_planned');
  }
  if (delivery.stage === 'succeeded') return ignored('ended');
  switch (event.type) {
    case 'DeliveryRequested':
      return ignored('repeated');
    case 'DeliveryPlanned':
      return delivery.stage === 'requested' || delivery.stage === 'skipped'
        ? changed(delivery, { stage: 'pending', reason: null })
        : ignored('repeated');
    case 'DeliverySkipped':
      return isEnded(delivery) ? ignored('ended') : changed(delivery, { stage: 'skipped', reason: event.reason });
    case 'DeliveryAttempted':
      if (delivery.stage === 'requested') return ignored('not_planned');
      if (delivery.stage === 'exhausted') return ignored('ended');
      return event.n === delivery.attempts + 1
        ? changed(delivery, { stage: 'pending', reason: null, attempts: event.n })
        : ignored('out_of_order');
    case 'DeliverySucceeded':
      return delivery.stage === 'requested'
        ? ignored('not_planned')
        : changed(delivery, { stage: 'succeeded', reason: null });
    case 'DeliveryExhausted':
      return delivery.stage === 'pending'
        ? changed(delivery, { stage: 'exhausted', reason: event.reason })
        : ignored(delivery.stage === 'requested' ? 'not_planned' : 'ended');
  }
};
