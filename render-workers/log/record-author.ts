import { type ActorKind, actor, type Meta } from '../../domain/event/meta.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import type { Clock } from '../../platform/process/clock.ts';

export type CreateMeta = (causation_id: string | null, correlation_id: string | null) => Meta;

export const createMetaFactory =
  (kind: ActorKind, id: string, clock: Pick<Clock, 'now'>): CreateMeta =>
  (causation_id, correlation_id) => ({
    event_id: mintUlid(),
    occurred_at: clock.now(),
    actor: actor(kind, id),
    causation_id,
    correlation_id,
  });

export type Headers = Readonly<Record<string, string>>;
