import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { isRenderEvent, type RenderEvent, type RenderRequested } from '../../domain/render/events.ts';
import { foldStep } from '../../domain/render/fold.ts';
import { isFinal, type Render, type Transition } from '../../domain/render/render.ts';
import { eventsOf } from '../../domain/webhooks/event-kinds.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { deliveryId } from '../../read-models/deliveries/plan.ts';
import type { Customer, ProjectKind } from './catalogue.ts';
import type { OrderBody } from './clients.ts';
import type { Answer } from './components/command-api.ts';
import type { Delivered } from './endpoints.ts';
import { type Evidence, type Judged, noEvidence, type Posted, type SealedRequest } from './judge-evidence.ts';
import { lateSince, openIn } from './judge-open.ts';
import { lackingIn } from './judge-read-models.ts';
import { decoded } from './log/event-log.ts';
import { FAULT_CODE } from './machine/engine.ts';
import type { Versions } from './store/versions.ts';
import type { World } from './world/world.ts';

/** The tolerance for ages of log times, because the clocks that judge them differ. */
export const CLOCKS_DIFFER_MS = 2_500;

/**
 * Reads the log and the requests that endpoints received. Shares only the fold of one render with the components that
 * it judges.
 */
export type Judge = {
  readonly appended: (records: readonly LogRecord[]) => void;
  readonly delivered: (delivered: Delivered) => void;
  /** A client sends a request, whose event has this correlation id. */
  readonly posting: (correlation_id: string, body: OrderBody) => void;
  readonly postedAs: (correlation_id: string | null) => Posted | undefined;
  /** A client learned that the render is accepted. */
  readonly acknowledged: (render_id: string) => void;
  /** A client is about to cancel the render. */
  readonly cancelling: (render_id: string) => void;
  readonly cancelled: (render_id: string, answer: Answer) => void;
  /** Somebody is about to erase the render. */
  readonly erasing: (render_id: string) => void;
  /** Whether the log has the erasure of the render. */
  readonly isErased: (render_id: string) => boolean;
  /** Whether the log has the erasure of the project. */
  readonly isProjectErased: (project_id: string) => boolean;
  readonly isAccountErased: (account_id: string) => boolean;
  readonly isUserErased: (user_id: string) => boolean;
  /** Names and addresses that only erased renders and users had. */
  readonly erasedTexts: () => readonly string[];
  /** Unfinished work; empty when everything is done. */
  readonly open: () => readonly string[];
  /** Entries of the log that the read model and the ledger lack. */
  readonly lackingIn: (versions: Versions) => readonly string[];
  readonly renders: () => ReadonlyMap<string, Judged>;
  readonly sealed: () => readonly SealedRequest[];
  /** Work that has waited since `before` (ms), in all partitions but one. */
  readonly lateSince: (before: number, except: number | null) => readonly string[];
};

export type JudgeDependencies = {
  readonly world: World;
  readonly customers: readonly Customer[];
  readonly partitions: number;
  /** A render may fail as `environment` after this time, or if its payload is lost. */
  readonly environment_timeout_ms: number;
  readonly isPayloadLost: (render: Render) => boolean;
  /** The fault of the film of a complete render; null without one. */
  readonly filmFault: (render: Render, posted: OrderBody | undefined) => string | null;
  /** Whether a restored backup lacks the values of the render, or their key. */
  readonly isTextLost: (render: Render) => boolean;
  /** Whether somebody has asked for the erasure of the project. */
  readonly isErasing: (project_id: string) => boolean;
  readonly isErasingAccount: (account_id: string) => boolean;
};

type Context = JudgeDependencies & {
  readonly evidence: Evidence;
  /** By project id. */
  readonly kinds: ReadonlyMap<string, ProjectKind>;
};

const judgeComplete = (
  { world, evidence, filmFault }: Context,
  render: Render,
  kind: ProjectKind | undefined,
): void => {
  const { id } = render;
  if (kind === 'faulty' || kind === 'deadly') world.violate(`${id} is complete, and cannot be: it is ${kind}`);
  if (render.charged_credits !== render.prepared?.price_credits) world.violate(`${id} is not charged its price`);
  const fault = filmFault(render, evidence.posted.get(evidence.accepted_as.get(id) ?? '')?.body);
  if (fault !== null) world.violate(`${id} is complete, and its film ${fault}`);
};

/** Judges how a render ended, at a time of the log. */
const judgeEnd = (context: Context, render: Render, at: number): void => {
  const { world, evidence, kinds, environment_timeout_ms, isPayloadLost, isTextLost, isErasing, isErasingAccount } =
    context;
  const { id, status, failure } = render;
  const kind = kinds.get(render.project_id);
  if (status === 'complete') {
    judgeComplete(context, render, kind);
    return;
  }
  const code = failure?.code ?? '';
  if (code === 'cancelled') {
    if (!evidence.cancel_requested.has(id)) world.violate(`${id} is cancelled without a request`);
    if (render.charged_credits !== 0 || render.outputs.length > 0) world.violate(`${id} is cancelled, and charged`);
    return;
  }
  if (code === 'environment') {
    if (at - render.created_at >= environment_timeout_ms - CLOCKS_DIFFER_MS || isPayloadLost(render)) return;
    world.violate(`${id} failed by its environment after ${at - render.created_at} ms: ${failure?.message}`);
    return;
  }
  if (code === 'request_missing' && isTextLost(render)) return;
  // The keys of an erased account are deleted before its renders end.
  if (code === 'request_erased' && isErasingAccount(render.account_id)) return;
  if (code === 'project_erased' && isErasing(render.project_id)) return;
  const own = kind === 'faulty' ? FAULT_CODE : kind === 'deadly' ? 'attempts_exhausted' : null;
  if (code !== own)
    world.violate(`${id}, which is ${kind}, failed by no fault of its own: ${code}, ${failure?.message}`);
};

/** No account spends more than it has. */
const judgeCredits = ({ world, customers, evidence }: Context, account_id: string): void => {
  const has = customers.find((customer) => customer.account_id === account_id)?.credits ?? Number.POSITIVE_INFINITY;
  const own = [...evidence.renders.values()].filter(({ render }) => render.account_id === account_id);
  const spent = own.reduce((sum, { render }) => sum + render.charged_credits, 0);
  if (spent > has) world.violate(`${account_id} has spent ${spent} of ${has} credits`);
};

/** A final render changes only by its erasure, and only a requested one is erased. */
const judgeChange = (context: Context, event: RenderEvent, before: Judged | undefined, render: Render): void => {
  const { world, evidence, isErasing } = context;
  if (event.type === 'RenderErased') {
    if (!evidence.erase_requested.has(event.render_id) && !isErasing(render.project_id))
      world.violate(`${event.render_id} is erased without a request`);
    evidence.erased.add(event.render_id);
  } else if (before !== undefined && isFinal(before.render.status))
    world.violate(`${render.id} was final, and changed`);
};

/** Each endpoint of the render's team is owed the events of the transition. */
const oweDeliveries = ({ world, customers, evidence }: Context, render: Render, transition: Transition): void => {
  const { seq } = transition;
  const at = world.scheduler.now();
  const endpoint_ids = customers.find(({ team_id }) => team_id === render.team_id)?.endpoint_ids ?? [];
  for (const endpoint_id of endpoint_ids)
    for (const kind of eventsOf(transition))
      evidence.owed.set(deliveryId(endpoint_id, render.id, seq, kind), { endpoint_id, render_id: render.id, seq, at });
};

const noteRequest = ({ world, evidence }: Context, event: RenderRequested, is_accepted: boolean): void => {
  const id = event.meta.correlation_id ?? '';
  if (!evidence.posted.has(id)) world.violate(`${event.render_id} has the correlation id ${id} of no request`);
  if (is_accepted) evidence.accepted_as.set(event.render_id, id);
  if (event.sealed !== null) evidence.sealed.push({ event, is_accepted });
};

/** Folds a record of render-events. */
const fold = (context: Context, record: LogRecord): void => {
  const { world, evidence } = context;
  const read = decoded(record.value);
  if (read.tag !== 'record' || !isRenderEvent(read.record)) {
    world.violate(`${record.topic}/${record.partition}/${record.offset} is no event of a render`);
    return;
  }
  const event = read.record;
  const { partition, offset, append_time_ms: at } = record;
  if (event.type === 'RenderFailed' && event.code === 'cancelled') evidence.cancel_recorded.add(event.render_id);
  const before = evidence.renders.get(event.render_id);
  const step = foldStep(before?.render ?? null, event, at);
  world.trace(`${event.type} ${event.render_id} ${partition}/${offset} by ${event.meta.actor}: ${step.tag}`);
  if (event.type === 'RenderRequested') noteRequest(context, event, step.tag === 'accepted');
  if (step.tag !== 'accepted') return;
  const { render, transition } = step;
  judgeChange(context, event, before, render);
  if (before === undefined) evidence.unfinished += 1;
  const now = world.scheduler.now();
  const ended_at = before?.ended_at ?? (isFinal(render.status) ? now : null);
  evidence.renders.set(event.render_id, { render, partition, requested_at: before?.requested_at ?? now, ended_at });
  evidence.mirrored[partition]?.accepted.push({
    ...{ source_offset: offset, render_id: render.id, transition, render, at: now },
  });
  if (render.charged_credits !== before?.render.charged_credits) judgeCredits(context, render.account_id);
  if (transition === null) return;
  oweDeliveries(context, render, transition);
  if (!isFinal(render.status)) return;
  evidence.unfinished -= 1;
  judgeEnd(context, render, at);
};

/** Compares a record of render-status with the fold of its source. */
const mirror = ({ world, evidence }: Context, record: LogRecord): void => {
  const read = decoded(record.value);
  const expected = evidence.mirrored[record.partition];
  const where = `render-status/${record.partition}/${record.offset}`;
  if (expected === undefined || read.tag !== 'record' || read.record.type !== 'RenderFactAccepted') {
    world.violate(`${where} is no record of it`);
    return;
  }
  const { source_offset, render_id, render, transition } = read.record;
  if (source_offset <= expected.last_source_offset) return;
  const wanted = expected.accepted[expected.published];
  if (wanted?.source_offset !== source_offset || wanted.render_id !== render_id) {
    world.violate(`${where} is of ${source_offset}, and ${wanted?.source_offset} of render-events comes next`);
    return;
  }
  if (canonicalJson([wanted.transition, wanted.render]) !== canonicalJson([transition, render])) {
    world.violate(`${where} differs from the fold of ${source_offset}`);
  }
  expected.published += 1;
  expected.last_source_offset = source_offset;
};

const noteErasure = ({ evidence }: Context, record: LogRecord): void => {
  const read = decoded(record.value);
  if (read.tag !== 'record') return;
  if (read.record.type === 'ProjectErased') evidence.erased_projects.add(read.record.project_id);
  if (read.record.type === 'AccountErased') evidence.erased_accounts.add(read.record.account_id);
  if (read.record.type === 'UserErased') evidence.erased_users.add(read.record.user_id);
};

const erasedTexts = ({ customers, evidence }: Context): readonly string[] => {
  const { renders, erased, erased_users, posted, accepted_as } = evidence;
  const namesOf = (is_erased: boolean): ReadonlySet<string> =>
    new Set(
      [...renders.keys()].flatMap((id) =>
        erased.has(id) === is_erased ? (posted.get(accepted_as.get(id) ?? '')?.body.name ?? []) : [],
      ),
    );
  const addresses = customers.flatMap(({ user }) => (erased_users.has(user.user_id) ? [user.email] : []));
  return [...namesOf(true).difference(namesOf(false)), ...addresses];
};

/** Judges the answer to a cancellation by the log at that moment. */
const judgeCancelled = (
  { world, evidence, isErasing, isErasingAccount }: Context,
  render_id: string,
  { status, body }: Answer,
): void => {
  const render = evidence.renders.get(render_id)?.render;
  const became = render?.failure?.code ?? render?.status ?? 'not in the log';
  const is_true =
    status === 503 ||
    (status === 401 && isErasingAccount(render?.account_id ?? '')) ||
    (status === 200 && became === 'cancelled') ||
    (status === 202 && evidence.cancel_recorded.has(render_id)) ||
    (status === 409 && render !== undefined && isFinal(render.status) && became !== 'cancelled') ||
    (status === 404 && (evidence.erased.has(render_id) || isErasing(render?.project_id ?? '')));
  if (!is_true) world.violate(`cancelling ${render_id} was answered ${status}: ${body}; it is ${became}`);
};

/** An endpoint gets only owed deliveries, and those of a render in the order of its transitions. */
const judgeDelivered = ({ world, evidence }: Context, { delivery_id, taken }: Delivered): void => {
  const owed = evidence.owed.get(delivery_id);
  if (owed === undefined) {
    world.violate(`${delivery_id} was delivered and not owed`);
    return;
  }
  const { endpoint_id, render_id, seq } = owed;
  const key = `${endpoint_id}/${render_id}`;
  const highest = evidence.dialled.get(key) ?? 0;
  if (seq > highest + 1)
    world.violate(`${render_id} was delivered to ${endpoint_id} as of ${seq} before ${highest + 1}`);
  evidence.dialled.set(key, Math.max(seq, highest));
  if (taken) evidence.taken.add(delivery_id);
};

export const createJudge = (parts: JudgeDependencies): Judge => {
  const { customers, partitions } = parts;
  const kinds = new Map(
    customers.flatMap(({ projects }) =>
      Object.entries(projects).map(([kind, project_id]) => [project_id, kind as ProjectKind] as const),
    ),
  );
  const evidence = noEvidence(partitions);
  const context: Context = { ...parts, evidence, kinds };
  return {
    renders: () => evidence.renders,
    sealed: () => evidence.sealed,
    posting: (id, body) => void evidence.posted.set(id, { body, at: parts.world.scheduler.now() }),
    postedAs: (id) => evidence.posted.get(id ?? ''),
    isErased: (render_id) => evidence.erased.has(render_id),
    isProjectErased: (project_id) => evidence.erased_projects.has(project_id),
    isAccountErased: (account_id) => evidence.erased_accounts.has(account_id),
    isUserErased: (user_id) => evidence.erased_users.has(user_id),
    erasedTexts: () => erasedTexts(context),
    appended: (records) => {
      for (const record of records) {
        if (record.topic === 'render-events') fold(context, record);
        if (record.topic === 'render-status') mirror(context, record);
        if (record.topic === 'catalogue-events') noteErasure(context, record);
      }
    },
    acknowledged: (render_id) => void evidence.acknowledged.add(render_id),
    cancelling: (render_id) => void evidence.cancel_requested.add(render_id),
    erasing: (render_id) => void evidence.erase_requested.add(render_id),
    cancelled: (render_id, answer) => judgeCancelled(context, render_id, answer),
    delivered: (delivered) => judgeDelivered(context, delivered),
    lateSince: (before, except) => lateSince(evidence, before, except),
    open: () => openIn(evidence),
    lackingIn: (versions) => lackingIn(evidence, customers, { versions, isTextLost: parts.isTextLost }),
  };
};
