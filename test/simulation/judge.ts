import type { Document } from 'mongodb';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { isRenderEvent } from '../../domain/render/events.ts';
import { foldStep } from '../../domain/render/fold.ts';
import { isFinal, type Render, type Transition } from '../../domain/render/render.ts';
import { eventsOf } from '../../domain/webhooks/event-kinds.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { deliveryId } from '../../read-models/deliveries/delivery-id.ts';
import type { Customer, ProjectKind } from './catalogue.ts';
import type { Answer } from './components/command-api.ts';
import type { Delivered } from './endpoints.ts';
import { decoded } from './log/event-log.ts';
import { FAULT_CODE } from './machine/engine.ts';
import type { Versions } from './store/versions.ts';
import type { World } from './world/world.ts';

/** A render as the log has it. */
export type Judged = {
  readonly render: Render;
  readonly partition: number;
  /** When it was asked for, ms since the simulation began. */
  readonly requested_at: number;
  /** When it came to its end, likewise; null before. */
  readonly ended_at: number | null;
};

/** The tolerance for ages of log times, because the clocks that judge them differ. */
export const CLOCKS_DIFFER_MS = 2_500;

/** The state of one partition by the log, and how much of it is published. */
type Mirrored = {
  readonly accepted: {
    readonly source_offset: number;
    readonly render_id: string;
    readonly transition: Transition | null;
    readonly render: Render;
    readonly at: number;
  }[];
  published: number;
  last_source_offset: number;
};

/** Reads the log and what endpoints got, and shares no code with those who act on it but the fold of one render. */
export type Judge = {
  readonly appended: (records: readonly LogRecord[]) => void;
  readonly delivered: (delivered: Delivered) => void;
  /** A client learned that the render is accepted. */
  readonly acknowledged: (render_id: string) => void;
  /** A client is about to cancel the render. */
  readonly cancelling: (render_id: string) => void;
  /** It was answered so. */
  readonly cancelled: (render_id: string, answer: Answer) => void;
  /** Somebody is about to erase the render. */
  readonly erasing: (render_id: string) => void;
  /** Whether the log says that the render was erased. */
  readonly isErased: (render_id: string) => boolean;
  /** Whether the log says that the project was erased. */
  readonly isProjectErased: (project_id: string) => boolean;
  /** Unfinished work; empty when everything is done. */
  readonly open: () => readonly string[];
  /** Entries of the log that the read model and the ledger lack. */
  readonly lackingIn: (versions: Versions) => readonly string[];
  readonly renders: () => ReadonlyMap<string, Judged>;
  /** Work that has waited since `before` (ms), in all partitions but one. */
  readonly lateSince: (before: number, except: number | null) => readonly string[];
};

export type JudgeParts = {
  readonly world: World;
  readonly customers: readonly Customer[];
  readonly partitions: number;
  /** A render may fail as `environment` after that long, or where its payload was lost. */
  readonly environment_timeout_ms: number;
  readonly isPayloadLost: (render: Render) => boolean;
  /** The fault of the film of a complete render; null without one. */
  readonly filmFault: (render: Render) => string | null;
  /** Whether somebody has asked for the erasure of the project. */
  readonly isErasing: (project_id: string) => boolean;
};

const JSONS = new WeakMap<object, string>();

/** Neither renders nor stored documents change, so each is serialized once. */
const jsonOf = (value: object | null): string => {
  if (value === null) return 'null';
  const known = JSONS.get(value) ?? canonicalJson(value);
  JSONS.set(value, known);
  return known;
};

/** Renders requested and completed, and credits charged, in all hours of an account. */
const countedIn = (statistics: readonly Document[], account_id: string): readonly number[] => {
  const hours = statistics
    .filter((one) => one.account_id === account_id && one.team_id === null)
    .flatMap(({ hours = {} }): readonly Document[] => Object.values(hours));
  return ['requested', 'completed', 'charged_credits'].map((name) =>
    hours.reduce((all, hour) => all + (hour[name] ?? 0), 0),
  );
};

/** Text that the document of an erased render should not have; null without any. */
export const textsIn = ({ name, name_salt, search, by_project, position }: Document): string | null => {
  if (name !== null || name_salt !== null) return `the name ${name}`;
  if (search.length > 0) return `the tokens ${search}`;
  return by_project === null && position === null ? null : `a place in lists: ${by_project}`;
};

export const createJudge = ({
  world,
  customers,
  partitions,
  environment_timeout_ms,
  isPayloadLost,
  filmFault,
  isErasing,
}: JudgeParts): Judge => {
  const renders = new Map<string, Judged>();
  const acknowledged = new Set<string>();
  /** Renders that a client wanted to be cancelled, and those of which the log says so. */
  const unwanted = new Set<string>();
  const recorded = new Set<string>();
  /** Renders that somebody wanted to be erased, and those that were. */
  const to_forget = new Set<string>();
  const erased = new Set<string>();
  const erased_projects = new Set<string>();
  const mirrored = Array.from(
    { length: partitions },
    (): Mirrored => ({ accepted: [], published: 0, last_source_offset: -1 }),
  );
  /** Deliveries that are owed, and those that were taken. */
  const owed = new Set<string>();
  const taken = new Set<string>();
  /** By endpoint and render, the highest transition of which anything was dialled. */
  const dialled = new Map<string, number>();
  const of_delivery = new Map<
    string,
    { readonly endpoint_id: string; readonly render_id: string; readonly seq: number; readonly at: number }
  >();
  let unfinished = 0;

  const kinds = new Map(
    customers.flatMap(({ projects }) =>
      Object.entries(projects).map(([kind, project_id]) => [project_id, kind as ProjectKind] as const),
    ),
  );
  const endpointsOf = (team_id: string): readonly string[] =>
    customers.find((customer) => customer.team_id === team_id)?.endpoint_ids ?? [];

  const judgeEnd = (render: Render, at: number): void => {
    const { id, status, failure } = render;
    const kind = kinds.get(render.project_id);
    if (status === 'complete') {
      if (kind === 'faulty' || kind === 'deadly') world.violate(`${id} is complete, and cannot be: it is ${kind}`);
      if (render.charged_credits !== render.prepared?.price_credits) world.violate(`${id} is not charged its price`);
      const fault = filmFault(render);
      if (fault !== null) world.violate(`${id} is complete, and its film ${fault}`);
      return;
    }
    const code = failure?.code ?? '';
    if (code === 'cancelled') {
      if (!unwanted.has(id)) world.violate(`${id} is cancelled without a request`);
      if (render.charged_credits !== 0 || render.outputs.length > 0) world.violate(`${id} is cancelled, and charged`);
      return;
    }
    if (code === 'environment') {
      if (at - render.created_at >= environment_timeout_ms - CLOCKS_DIFFER_MS || isPayloadLost(render)) return;
      world.violate(`${id} failed by its environment after ${at - render.created_at} ms: ${failure?.message}`);
      return;
    }
    if (code === 'project_erased' && isErasing(render.project_id)) return;
    const own = kind === 'faulty' ? FAULT_CODE : kind === 'deadly' ? 'attempts_exhausted' : null;
    if (code !== own)
      world.violate(`${id}, which is ${kind}, failed by no fault of its own: ${code}, ${failure?.message}`);
  };

  /** No account spends more than it has. */
  const judgeCredits = (account_id: string): void => {
    const has = customers.find((customer) => customer.account_id === account_id)?.credits ?? Number.POSITIVE_INFINITY;
    const own = [...renders.values()].filter(({ render }) => render.account_id === account_id);
    const spent = own.reduce((sum, { render }) => sum + render.charged_credits, 0);
    if (spent > has) world.violate(`${account_id} has spent ${spent} of ${has} credits`);
  };

  const fold = (record: LogRecord): void => {
    const said = decoded(record.value);
    if (said.tag !== 'record' || !isRenderEvent(said.record)) {
      world.violate(`${record.topic}/${record.partition}/${record.offset} is no event of a render`);
      return;
    }
    const event = said.record;
    const { partition, offset, append_time_ms: at } = record;
    if (event.type === 'RenderFailed' && event.code === 'cancelled') recorded.add(event.render_id);
    const before = renders.get(event.render_id);
    const step = foldStep(before?.render ?? null, event, at);
    world.trace(`${event.type} ${event.render_id} ${partition}/${offset} by ${event.meta.actor}: ${step.tag}`);
    if (step.tag !== 'accepted') return;
    const { render, transition } = step;
    if (event.type === 'RenderErased') {
      if (!to_forget.has(event.render_id) && !isErasing(render.project_id))
        world.violate(`${event.render_id} is erased without a request`);
      erased.add(event.render_id);
    } else if (before !== undefined && isFinal(before.render.status))
      world.violate(`${render.id} was final, and changed`);
    if (before === undefined) unfinished += 1;
    const now = world.scheduler.now();
    const ended_at = before?.ended_at ?? (isFinal(render.status) ? now : null);
    renders.set(event.render_id, { render, partition, requested_at: before?.requested_at ?? now, ended_at });
    mirrored[partition]?.accepted.push({ source_offset: offset, render_id: render.id, transition, render, at: now });
    if (render.charged_credits !== before?.render.charged_credits) judgeCredits(render.account_id);
    if (transition === null) return;
    for (const endpoint_id of endpointsOf(render.team_id)) {
      for (const kind of eventsOf(transition)) {
        const id = deliveryId(endpoint_id, render.id, transition.seq, kind);
        owed.add(id);
        of_delivery.set(id, { endpoint_id, render_id: render.id, seq: transition.seq, at: now });
      }
    }
    if (!isFinal(render.status)) return;
    unfinished -= 1;
    judgeEnd(render, at);
  };

  const mirror = (record: LogRecord): void => {
    const said = decoded(record.value);
    const its = mirrored[record.partition];
    const where = `render-status/${record.partition}/${record.offset}`;
    if (its === undefined || said.tag !== 'record' || said.record.type !== 'RenderFactAccepted') {
      world.violate(`${where} is no record of it`);
      return;
    }
    const { source_offset, render_id, render, transition } = said.record;
    if (source_offset <= its.last_source_offset) return;
    const wanted = its.accepted[its.published];
    if (wanted?.source_offset !== source_offset || wanted.render_id !== render_id) {
      world.violate(`${where} is of ${source_offset}, and ${wanted?.source_offset} of render-events comes next`);
      return;
    }
    if (canonicalJson([wanted.transition, wanted.render]) !== canonicalJson([transition, render])) {
      world.violate(`${where} differs from the fold of ${source_offset}`);
    }
    its.published += 1;
    its.last_source_offset = source_offset;
  };

  return {
    renders: () => renders,
    isErased: (render_id) => erased.has(render_id),
    isProjectErased: (project_id) => erased_projects.has(project_id),
    appended: (records) => {
      for (const record of records) {
        if (record.topic === 'render-events') fold(record);
        if (record.topic === 'render-status') mirror(record);
        if (record.topic === 'catalogue-events') {
          const said = decoded(record.value);
          if (said.tag === 'record' && said.record.type === 'ProjectErased')
            erased_projects.add(said.record.project_id);
        }
      }
    },
    acknowledged: (render_id) => {
      acknowledged.add(render_id);
    },
    cancelling: (render_id) => {
      unwanted.add(render_id);
    },
    erasing: (render_id) => {
      to_forget.add(render_id);
    },
    cancelled: (render_id, { status, body }) => {
      const its = renders.get(render_id)?.render;
      const became = its?.failure?.code ?? its?.status ?? 'not in the log';
      const is_true =
        status === 503 ||
        (status === 200 && became === 'cancelled') ||
        (status === 202 && recorded.has(render_id)) ||
        (status === 409 && its !== undefined && isFinal(its.status) && became !== 'cancelled') ||
        (status === 404 && (erased.has(render_id) || isErasing(its?.project_id ?? '')));
      if (!is_true) world.violate(`cancelling ${render_id} was answered ${status}: ${body}; it is ${became}`);
    },
    delivered: ({ delivery_id, taken: was_taken }) => {
      const about = of_delivery.get(delivery_id);
      if (about === undefined) {
        world.violate(`${delivery_id} was delivered and not owed`);
        return;
      }
      const { endpoint_id, render_id, seq } = about;
      const key = `${endpoint_id}/${render_id}`;
      const highest = dialled.get(key) ?? 0;
      if (seq > highest + 1)
        world.violate(`${render_id} was delivered to ${endpoint_id} as of ${seq} before ${highest + 1}`);
      dialled.set(key, Math.max(seq, highest));
      if (was_taken) taken.add(delivery_id);
    },
    lateSince: (before, except) => {
      const found: string[] = [];
      for (const { render, partition, requested_at } of renders.values())
        if (partition !== except && requested_at < before && !isFinal(render.status))
          found.push(`${render.id} is ${render.status}`);
      for (const [partition, { accepted, published }] of mirrored.entries()) {
        const next = accepted[published];
        if (partition !== except && next !== undefined && next.at < before)
          found.push(`what became of ${next.render_id} is not published`);
      }
      for (const id of owed) {
        const { render_id = '', endpoint_id, at = 0 } = of_delivery.get(id) ?? {};
        if (renders.get(render_id)?.partition !== except && at < before && !taken.has(id))
          found.push(`${endpoint_id} has no delivery of ${render_id}`);
      }
      return found;
    },
    open: () => {
      const found: string[] = [];
      for (const render_id of acknowledged) {
        if (!renders.has(render_id)) found.push(`${render_id} was acknowledged and is not in the log`);
      }
      for (const render_id of to_forget) {
        if (renders.has(render_id) && !erased.has(render_id)) found.push(`${render_id} is not erased`);
      }
      for (const { render } of renders.values())
        if (erased_projects.has(render.project_id) && !erased.has(render.id))
          found.push(`${render.id} is not erased, and its project is`);
      if (unfinished > 0) {
        for (const { render } of renders.values()) {
          if (!isFinal(render.status)) found.push(`${render.id} is ${render.status}`);
        }
      }
      for (const [partition, { accepted, published }] of mirrored.entries()) {
        if (published < accepted.length)
          found.push(`${published} of ${accepted.length} are published of partition ${partition}`);
      }
      if (taken.size < owed.size) {
        // Deliveries that waited when their render was erased are skipped.
        const missing = [...owed].filter((id) => !taken.has(id) && !erased.has(of_delivery.get(id)?.render_id ?? ''));
        const { render_id, seq } = of_delivery.get(missing[0] ?? '') ?? {};
        if (missing.length > 0) found.push(`${missing.length} deliveries are missing: of ${render_id}, ${seq}`);
      }
      return found;
    },
    lackingIn: (versions) => {
      const found: string[] = [];
      const now = versions.now();
      const serving = versions
        .all('generations', now)
        .filter((one) => one.read_model === 'renders' && one.serving === true)
        .at(-1);
      const generation = serving?.generation;
      const documents = new Map(versions.all(`renders_g${generation}`, now).map((one) => [one._id, one]));
      const charged = new Map<string, number>();
      for (const { render } of renders.values()) {
        const document = documents.get(render.id);
        if (jsonOf(document?.render ?? null) !== jsonOf(render)) {
          found.push(`the read model has ${render.id} as ${document?.render?.status}, and it is ${render.status}`);
        }
        const left = document === undefined ? null : textsIn(document);
        if (erased.has(render.id) && left !== null) found.push(`${render.id} was erased, and its document has ${left}`);
        if (!erased.has(render.id) && document !== undefined && !/^Order \d+$/.test(String(document.name)))
          found.push(`${render.id} is called ${document.name}`);
        charged.set(render.account_id, (charged.get(render.account_id) ?? 0) + render.charged_credits);
      }
      for (const { _id, name } of versions.all('fresh_names', now))
        if (erased.has(String(_id))) found.push(`${_id} was erased, and ${name} is noted`);
      for (const { render_id, body, attempts = [] } of versions.all('webhook_deliveries', now)) {
        const answers = attempts.filter(({ response }: Document) => response !== null);
        if (erased.has(render_id) && (body !== null || answers.length > 0))
          found.push(`${render_id} was erased, and a delivery of it has ${body === null ? 'an answer' : 'its body'}`);
      }
      for (const { account_id } of customers) {
        const shares = versions.all(`credit_ledger_g${generation}`, now).filter((one) => one.account_id === account_id);
        const sum = shares.reduce((all, one) => all + one.charged_credits, 0);
        const reserved = shares.reduce((all, one) => all + one.reserved_credits, 0);
        if (sum !== (charged.get(account_id) ?? 0))
          found.push(`${account_id} is charged ${sum} instead of ${charged.get(account_id)}`);
        if (reserved !== 0) found.push(`${account_id} still has ${reserved} credits held back`);
        const own = [...renders.values()].flatMap(({ render }) => (render.account_id === account_id ? [render] : []));
        const counted = countedIn(versions.all(`render_statistics_g${generation}`, now), account_id);
        const wanted = [own.length, own.filter(({ status }) => status === 'complete').length, sum];
        if (String(counted) !== String(wanted)) found.push(`${account_id} has statistics ${counted} for ${wanted}`);
      }
      return found;
    },
  };
};
