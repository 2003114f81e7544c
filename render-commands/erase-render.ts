import * as E from 'fp-ts/lib/Either.js';
import { type AppendRefusal, decideAppend } from '../domain/render/decide.ts';
import type { RenderErased } from '../domain/render/events.ts';
import { isErased, type Render } from '../domain/render/render.ts';
import { mintUlid } from '../platform/identity/mint-ulid.ts';
import type { Clock } from '../platform/process/clock.ts';
import { pollStore } from '../platform/read-store/poll-store.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { ErasableRender, ErasableRenders } from '../read-models/renders/erasable-renders.ts';

export type RenderErasureDependencies = {
  readonly renders: ErasableRenders;
  readonly records: Pick<RecordLog, 'append'>;
  readonly clock: Clock;
  readonly stop?: AbortSignal;
};

export type RenderErasure = {
  readonly render_id: string;
  /** Renders of other teams are answered as missing. Null for an operator, who reaches all teams. */
  readonly team_id: string | null;
  readonly actor: string;
  readonly correlation_id: string | null;
  readonly causation_id?: string | null;
};

export type EraseRefusal =
  | { readonly tag: 'absent' }
  /** The render must end or be cancelled first. */
  | { readonly tag: 'not_final'; readonly status: Render['status'] }
  /** The render was requested by a newer version, whose rules this version does not know. */
  | { readonly tag: 'unknown_version' }
  | { readonly tag: 'not_appended'; readonly message: string }
  | { readonly tag: 'outcome_unknown'; readonly message: string }
  /** The log has the event, but the read model did not show it in time, or `stop` aborted first. */
  | { readonly tag: 'not_folded'; readonly waited_ms: number };

/** `repeated`: the render was already erased. */
export type RenderErasureResult = ErasableRender & { readonly repeated: boolean };

const FOLD_WAIT_MS = 15_000;
const LOOK_EVERY_MS = 50;

const refusalOf = (refusal: AppendRefusal, { status }: Render): EraseRefusal =>
  refusal === 'unknown_version' ? { tag: refusal } : { tag: 'not_final', status };

type Appended = { readonly before: ErasableRender; readonly repeated: boolean };

/**
 * Appends the erasure, and does not wait for the fold (ADR 80). Appends nothing if the read model already shows the
 * erasure. Rejects on store outage.
 */
export const appendErasure = async (
  { renders, records, clock }: Omit<RenderErasureDependencies, 'stop'>,
  { render_id, team_id, actor, correlation_id, causation_id = null }: RenderErasure,
): Promise<E.Either<EraseRefusal, Appended>> => {
  const before = await renders(render_id);
  if (before === null || (team_id !== null && before.render.team_id !== team_id)) return E.left({ tag: 'absent' });
  const occurred_at = clock.now();
  const event: RenderErased = {
    type: 'RenderErased',
    meta: { event_id: mintUlid(occurred_at), occurred_at, actor, causation_id, correlation_id },
    render_id,
  };
  const decided = decideAppend(before.render, event, occurred_at);
  if (E.isLeft(decided)) return E.left(refusalOf(decided.left, before.render));
  if (decided.right.length === 0) return E.right({ before, repeated: true });
  const appended = await records.append('render-events', render_id, event);
  if (E.isRight(appended)) return E.right({ before, repeated: false });
  const { tag, message } = appended.left;
  return E.left({ tag: tag === 'outcome_unknown' ? tag : 'not_appended', message });
};

/**
 * Erases a render, and waits for the fold. The render's cost remains. A repeat appends nothing. Rejects on store outage
 * before the append.
 */
export const eraseRender = async (
  { renders, records, clock, stop }: RenderErasureDependencies,
  erasure: RenderErasure,
): Promise<E.Either<EraseRefusal, RenderErasureResult>> => {
  const appended = await appendErasure({ renders, records, clock }, erasure);
  if (E.isLeft(appended)) return appended;
  const { before, repeated } = appended.right;
  if (repeated) return E.right({ ...before, repeated });
  const looking = { wait_ms: FOLD_WAIT_MS, every_ms: LOOK_EVERY_MS, clock, signal: stop };
  const erased = await pollStore(async () => {
    const now = await renders(erasure.render_id);
    return now !== null && isErased(now.render) ? now : null;
  }, looking);
  if (erased !== null) return E.right({ ...erased, repeated: false });
  return E.left({ tag: 'not_folded', waited_ms: FOLD_WAIT_MS });
};
