import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueCommand } from '../domain/catalogue/commands.ts';
import { type CatalogueRefusal, decideCatalogue, entitiesToLoad } from '../domain/catalogue/decide.ts';
import type { Entity, EntityRef } from '../domain/catalogue/entities.ts';
import type { CatalogueEvent } from '../domain/catalogue/events.ts';
import { RULES_VERSION } from '../domain/catalogue/rules.ts';
import { subjectOf } from '../domain/catalogue/subject.ts';
import type { CatalogueView } from '../domain/catalogue/verdict.ts';
import { distinctRefs, recordingView } from '../domain/catalogue/view.ts';
import type { Meta } from '../domain/event/meta.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { messageOf } from '../platform/logging/message-of.ts';
import type { Clock } from '../platform/process/clock.ts';
import { pollStore } from '../platform/read-store/poll-store.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import type { CatalogueFault } from './fault.ts';
import { newEventMeta } from './identity.ts';

export type CatalogueWriter = {
  readonly records: Pick<RecordLog, 'append'> & { readonly log: Pick<EventLog, 'bounds'> };
  readonly read_model: CatalogueReadModel;
  /**
   * The actor, as `operator:…` (a role, never a person's name) or `user:…`. The actor's role decides which changes are
   * allowed.
   */
  readonly actor: string;
  /** The event that caused the change; absent if a person requested it. */
  readonly causation_id?: string;
  readonly clock: Clock;
  /** The maximum wait for the read model, before the decision and after the append; 15 s by default. */
  readonly wait_timeout_ms?: number;
  readonly stop?: AbortSignal;
};

/** `repeated`: the entity was already in this state, so the change had no effect. */
export type ChangeResult<A> = A & { readonly repeated?: true };

/** `repeated`: the change was made before. `before` is the state on which the command was decided. */
export type AppliedChange = { readonly repeated: boolean; readonly before: CatalogueView };

const TOPIC = 'catalogue-events';
const PARTITION = 0;
const WAIT_TIMEOUT_MS = 15_000;
const POLL_MS = 20;

type Looked<A> = { readonly found: A | null; readonly waited_ms: number };

const waitFor = async <A>(catalogue: CatalogueWriter, look: () => Promise<A | null>): Promise<Looked<A>> => {
  const { clock, stop, wait_timeout_ms: wait_ms = WAIT_TIMEOUT_MS } = catalogue;
  const began_at = clock.monotonic();
  const found = await pollStore(look, { wait_ms, every_ms: POLL_MS, clock, signal: stop });
  return { found, waited_ms: stop?.aborted === true ? Math.round(clock.monotonic() - began_at) : wait_ms };
};

const entitiesAt = async (
  catalogue: CatalogueWriter,
  end: number,
  refs: readonly EntityRef[],
): Promise<E.Either<CatalogueFault, readonly Entity[]>> => {
  const { found, waited_ms } = await waitFor(catalogue, () => catalogue.read_model.entitiesAt(end, refs));
  return found === null ? E.left({ tag: 'read_model_behind', waited_ms }) : E.right(found);
};

const endOf = async ({ records }: CatalogueWriter): Promise<E.Either<CatalogueFault, number>> => {
  const bounds = await records.log.bounds(TOPIC).catch(messageOf);
  if (typeof bounds === 'string') return E.left({ tag: 'not_appended', message: bounds });
  return E.right(bounds.find(({ partition }) => partition === PARTITION)?.end ?? 0);
};

export const viewAtLogEnd = async (
  catalogue: CatalogueWriter,
  refs: readonly EntityRef[],
): Promise<E.Either<CatalogueFault, CatalogueView>> => {
  const end = await endOf(catalogue);
  if (E.isLeft(end)) return end;
  const found = await entitiesAt(catalogue, end.right, refs);
  return E.isLeft(found) ? found : E.right(recordingView(refs, found.right).view);
};

type Decided = {
  readonly view: CatalogueView;
  readonly decision: ReturnType<typeof decideCatalogue>;
};

/**
 * Decides a command on the state at the end of the log. Each decision may need further entities, so it is repeated
 * after they are loaded.
 */
const decideAt = async (
  catalogue: CatalogueWriter,
  end: number,
  command: CatalogueCommand,
  meta: Meta,
): Promise<E.Either<CatalogueFault, Decided>> => {
  let refs = entitiesToLoad(command);
  for (;;) {
    const found = await entitiesAt(catalogue, end, refs);
    if (E.isLeft(found)) return found;
    const { view, missing } = recordingView(refs, found.right);
    const decision = decideCatalogue(view, command, meta);
    if (missing().length === 0) return E.right({ view, decision });
    refs = distinctRefs([...refs, ...missing()]);
  }
};

/**
 * An older generation of the read model would judge the new event wrongly, so the append waits until a newer one
 * serves.
 */
const untilRulesAreKnown = async (catalogue: CatalogueWriter): Promise<E.Either<CatalogueFault, null>> => {
  const knows = async () => ((await catalogue.read_model.newestRules()) < RULES_VERSION ? null : true);
  const { found, waited_ms } = await waitFor(catalogue, knows);
  return found === null ? E.left({ tag: 'read_model_rebuilding', waited_ms }) : E.right(null);
};

const faultOf = (refusal: CatalogueRefusal): CatalogueFault =>
  refusal.tag === 'illegal' ? { ...refusal, ignored_at: null } : refusal;

/**
 * Decides again after the fold ignored the event of a command, because another change came first. Null if the entity
 * has the wanted state anyway; otherwise the fault.
 */
const overtaken = async (
  catalogue: CatalogueWriter,
  command: CatalogueCommand,
  ignored: Extract<CatalogueFault, { tag: 'illegal' }> & { readonly ignored_at: number },
): Promise<CatalogueFault | null> => {
  const again = await decideAt(catalogue, ignored.ignored_at + 1, command, ignored.event.meta);
  if (E.isLeft(again)) return ignored;
  const { decision } = again.right;
  return E.isRight(decision) && decision.right.length === 0 ? null : ignored;
};

const append = async (
  { records }: CatalogueWriter,
  event: CatalogueEvent,
): Promise<E.Either<CatalogueFault, number>> => {
  const appended = await records.append(TOPIC, subjectOf(event), event, { partition: PARTITION });
  if (E.isRight(appended)) return E.right(appended.right.offset);
  const { tag, message } = appended.left;
  return E.left(tag === 'outcome_unknown' ? { tag: 'unconfirmed', message, event } : { tag, message });
};

/**
 * Decides a command on the state at the end of the log, appends its event and waits for its fold (ADR 40).
 *
 * @returns left: the tag says whether the event may be in the log
 */
export const changeCatalogue = async (
  catalogue: CatalogueWriter,
  command: CatalogueCommand,
): Promise<E.Either<CatalogueFault, AppliedChange>> => {
  const known = await untilRulesAreKnown(catalogue);
  if (E.isLeft(known)) return known;
  const end = await endOf(catalogue);
  if (E.isLeft(end)) return end;
  const decided = await decideAt(catalogue, end.right, command, newEventMeta(catalogue));
  if (E.isLeft(decided)) return decided;
  const { view: before, decision } = decided.right;
  if (E.isLeft(decision)) return E.left(faultOf(decision.left));
  const [event] = decision.right;
  if (event === undefined) return E.right({ repeated: true, before });
  const offset = await append(catalogue, event);
  if (E.isLeft(offset)) return offset;
  const { found: outcome, waited_ms } = await waitFor(catalogue, () => catalogue.read_model.outcomeOf(offset.right));
  if (outcome === null) return E.left({ tag: 'not_shown', offset: offset.right, waited_ms });
  if (outcome.tag === 'accepted') return E.right({ repeated: false, before });
  const { reason } = outcome;
  const fault = await overtaken(catalogue, command, { tag: 'illegal', reason, event, ignored_at: offset.right });
  return fault === null ? E.right({ repeated: true, before }) : E.left(fault);
};

/** @param read reads the changed entity after the change, for the answer */
export const changeAndRead = async <A extends object>(
  catalogue: CatalogueWriter,
  command: CatalogueCommand,
  read: (read_model: CatalogueReadModel) => Promise<E.Either<CatalogueFault, A>>,
): Promise<E.Either<CatalogueFault, ChangeResult<A>>> => {
  const change = await changeCatalogue(catalogue, command);
  if (E.isLeft(change)) return change;
  const found = await read(catalogue.read_model);
  return E.isRight(found) && change.right.repeated ? E.right({ ...found.right, repeated: true }) : found;
};
