import { LRUCache } from 'lru-cache';
import type { WorkerBeat } from '../../domain/dispatch/heartbeats.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { People } from '../access/people.ts';
import { isPerson, type Person, type SessionHolder } from '../access/person.ts';
import type { EventIds, StreamPositions } from './event-id.ts';
import { ListenerQueue, RESET_FRAME, type StreamFrame, type StreamOutput } from './listener-queue.ts';
import { RecentChanges, type RenderChange } from './recent-changes.ts';

export type ListenersDependencies = {
  readonly people: Pick<People, 'findAll'>;
  /** Whether the person still has a role in the account. Called after their roles have changed. */
  readonly hasPartIn: (person: Person, account_id: string) => Promise<boolean>;
  /** True if the read models are older than answers that the service already gave. Then rights are not re-checked. */
  readonly isBehind: () => Promise<boolean>;
  readonly ids: EventIds;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits?: ListenerLimits;
};

export type ListenerLimits = {
  readonly session: number;
  readonly person: number;
  readonly account: number;
  readonly process: number;
};

const LIMITS: ListenerLimits = { session: 8, person: 24, account: 1_200, process: 2_000 };

export type JoinRequest = {
  readonly person: Person;
  readonly token_sha256: string;
  readonly account_id: string;
  /** The `Last-Event-ID` of the client; null if it sent none. */
  readonly last_event_id: string | null;
};

type Listener = Omit<JoinRequest, 'person' | 'last_event_id'> & {
  person: Person;
  /** When the rights were last checked, by the monotonic clock. */
  seen_at: number;
  /** Positions at which the stream was paused because the rights could not be checked; null while it runs. */
  held_at: StreamPositions | null;
  readonly queue: ListenerQueue;
};

const MAX_RECENT = 20_000;
const MAX_MISSED = 500;
const PROGRESS_EVERY_MS = 900;
/** A stream is paused if the rights were not checked for this long. */
const UNSEEN_MS = 5_000;
/** A paused stream ends after this time. An earlier end would make all clients reconnect at once to a slow store. */
const LOST_MS = 60_000;
/** Matches no log, so a listener that resumes from here gets a reset. */
const NOWHERE: StreamPositions = [];
const RESET_ALL_EVERY_MS = 10_000;
const RETRY_MS = { least: 1_000, more: 3_000 } as const;
const RETRY_AFTER_S = 2;

const refusing = (tag: 'rate_limited' | 'unavailable', message: string): ApiError => ({
  ...{ tag, message, retry_after_s: RETRY_AFTER_S },
});

const TOO_MANY_OF_SESSION = refusing(
  'rate_limited',
  'too many open streams in this session; close some, or share one between browser tabs',
);
const TOO_MANY_OF_PERSON = refusing('rate_limited', 'this user has too many open streams; close some');
const TOO_MANY_OF_ACCOUNT = refusing('rate_limited', 'this account has too many open streams; try again later');
const FULL = refusing('unavailable', 'too many open streams; try again later');
const NOT_READY = refusing('unavailable', 'the stream is not ready yet; try again');

/**
 * A change of something other than a render. It has no position in the stream, so a client that resumes reads these
 * again. The type `endpoint` means its deliveries. The types `team` and `account` mean everything that the catalogue has
 * about them.
 */
export type Announcement = {
  readonly type: 'endpoint' | 'team' | 'account';
  readonly id: string;
  readonly account_id: string;
  /** Null if the change concerns the account. */
  readonly team_id: string | null;
};

/** The heartbeat. It is an event and not a comment, because `EventSource` does not pass comments to pages. */
const ALIVE = 'event: alive\ndata: {}\n';
const ALIVE_ALONE: StreamFrame = { text: `${ALIVE}\n`, about: 'alive' };

const dataOf = ({ render_id: id, project_id, team_id }: RenderChange): string =>
  `event: changed\ndata: ${JSON.stringify({ type: 'render', id, project_id, team_id })}\n`;

const frameOf = ({ type, id, team_id }: Announcement): StreamFrame => ({
  text: `event: changed\ndata: ${JSON.stringify({ type, id, ...(team_id !== null && { team_id }) })}\n\n`,
  about: `${type} ${id}`,
});

const isFor = (
  { person: { owned_accounts, roles } }: Pick<Listener, 'person'>,
  { account_id, team_id }: Announcement,
): boolean => team_id === null || owned_accounts.has(account_id) || roles.has(team_id);

const isOfTeam = ({ person: { owned_accounts, roles } }: Pick<Listener, 'person'>, change: RenderChange): boolean =>
  owned_accounts.has(change.account_id) || roles.has(change.team_id);

const hasSameRoles = (a: Person, b: Person): boolean =>
  a.user_id === b.user_id &&
  a.roles.size === b.roles.size &&
  a.owned_accounts.size === b.owned_accounts.size &&
  [...a.roles.keys()].every((id) => b.roles.has(id)) &&
  [...a.owned_accounts].every((id) => b.owned_accounts.has(id));

const progressKeyOf = ({ attempt_id, stage, frames_done }: WorkerBeat['attempts'][number]): string =>
  `${attempt_id} ${stage} ${frames_done}`;

type Known = { readonly change: RenderChange; progress: string; told_at: number };

/** The open streams of this process (ADR 75). */
export class Listeners {
  readonly recent = new RecentChanges(MAX_RECENT);
  readonly #parts: ListenersDependencies;
  readonly #limits: ListenerLimits;
  readonly #all = new Set<Listener>();
  readonly #byAccount = new Map<string, Set<Listener>>();
  /** The latest change of each render: a worker's heartbeat names only the render, not its account. */
  readonly #known = new LRUCache<string, Known>({ max: MAX_RECENT });
  #reset_all_at = Number.NEGATIVE_INFINITY;
  #is_reset_due = false;
  #is_closed = false;

  constructor(parts: ListenersDependencies) {
    this.#parts = parts;
    this.#limits = parts.limits ?? LIMITS;
  }

  get count(): number {
    return this.#all.size;
  }

  get waiting_bytes(): number {
    let bytes = 0;
    for (const { queue } of this.#all) bytes += queue.waiting_bytes;
    return bytes;
  }

  /** The refusal of a new stream; null if it is accepted. */
  refusal({ person, token_sha256, account_id }: Omit<JoinRequest, 'last_event_id'>): ApiError | null {
    if (this.#is_closed || this.recent.positions() === null) return NOT_READY;
    if (this.#all.size >= this.#limits.process) return FULL;
    let [of_session, of_person] = [0, 0];
    for (const one of this.#all) {
      if (one.token_sha256 === token_sha256) of_session += 1;
      if (one.person.user_id === person.user_id) of_person += 1;
    }
    if (of_session >= this.#limits.session) return TOO_MANY_OF_SESSION;
    if (of_person >= this.#limits.person) return TOO_MANY_OF_PERSON;
    const of_account = this.#byAccount.get(account_id)?.size ?? 0;
    return of_account >= this.#limits.account ? TOO_MANY_OF_ACCOUNT : null;
  }

  /** @returns what to call when the connection is closed; null if the stream is refused */
  join({ last_event_id, ...joining }: JoinRequest, out: StreamOutput): (() => void) | null {
    const positions = this.recent.positions();
    if (positions === null || this.refusal(joining) !== null) return null;
    const { clock, ids, random } = this.#parts;
    const { account_id } = joining;
    const queue = new ListenerQueue(out, clock);
    const listener: Listener = { ...joining, seen_at: clock.monotonic(), held_at: null, queue };
    const retry = `retry: ${Math.round(RETRY_MS.least + random() * RETRY_MS.more)}\n\n`;
    const before = last_event_id === null ? null : (ids.decode(account_id, last_event_id) ?? NOWHERE);
    const frames = before === null ? this.#idFrame(account_id) : this.#missedSince(listener, before);
    queue.push({ text: `${retry}${frames}`, about: null });
    this.#all.add(listener);
    const others = this.#byAccount.get(account_id);
    if (others === undefined) this.#byAccount.set(account_id, new Set([listener]));
    else others.add(listener);
    return () => {
      queue.closed();
      this.#leave(listener);
    };
  }

  /**
   * Call this for each record of `render-status`.
   *
   * @param change null if the record is about no render
   */
  passed(partition: number, offset: number, change: RenderChange | null): void {
    if (!this.recent.passed(partition, offset, change) || change === null) return;
    const known = this.#known.get(change.render_id);
    this.#known.set(change.render_id, { progress: '', told_at: Number.NEGATIVE_INFINITY, ...known, change });
    const listeners = this.#byAccount.get(change.account_id);
    if (listeners === undefined) return;
    const id = this.#idFrame(change.account_id);
    this.#tell(listeners, change, { text: id === '' ? `${dataOf(change)}\n` : `${dataOf(change)}${id}`, about: null });
  }

  hears(account_id: string): boolean {
    return this.#byAccount.has(account_id);
  }

  announce(announcement: Announcement): void {
    const frame = frameOf(announcement);
    for (const listener of this.#byAccount.get(announcement.account_id) ?? []) {
      if (!isFor(listener, announcement)) continue;
      // A paused listener reads everything again when it continues.
      if (listener.held_at !== null) listener.held_at = NOWHERE;
      else this.#push(listener, frame);
    }
  }

  beat({ attempts }: Pick<WorkerBeat, 'attempts'>): void {
    const now = this.#parts.clock.monotonic();
    for (const attempt of attempts) {
      const known = this.#known.get(attempt.render_id);
      const progress = progressKeyOf(attempt);
      if (known === undefined || known.progress === progress || now - known.told_at < PROGRESS_EVERY_MS) continue;
      known.progress = progress;
      known.told_at = now;
      const listeners = this.#byAccount.get(known.change.account_id);
      if (listeners === undefined) continue;
      this.#tell(listeners, known.change, { text: `${dataOf(known.change)}\n`, about: attempt.render_id });
    }
  }

  /** Call this for a record that this version cannot read. It may concern any listener, so all are reset. */
  unreadable(partition: number, offset: number): void {
    if (!this.recent.passed(partition, offset, null)) return;
    this.recent.lacks(partition);
    this.resetAll();
  }

  /** A reset within {@link RESET_ALL_EVERY_MS} of the last one is postponed, never dropped. */
  resetAll(): void {
    const now = this.#parts.clock.monotonic();
    this.#is_reset_due = now - this.#reset_all_at < RESET_ALL_EVERY_MS;
    if (this.#is_reset_due) return;
    this.#reset_all_at = now;
    for (const listener of this.#all) {
      if (listener.held_at === null) this.#push(listener, { text: RESET_FRAME, about: 'reset' });
      else listener.held_at = NOWHERE;
    }
  }

  /** Keeps connections open and sends a current id, from which a client can resume. */
  heartbeat(): void {
    for (const [account_id, listeners] of this.#byAccount) {
      const id = this.#idFrame(account_id);
      const frame = id === '' ? ALIVE_ALONE : { text: `${ALIVE}${id}`, about: ALIVE_ALONE.about };
      for (const listener of listeners) this.#push(listener, listener.held_at === null ? frame : ALIVE_ALONE);
    }
  }

  /** Re-checks the rights of all listeners. Rejects on store outage. */
  async look(): Promise<void> {
    const looked_at = this.#parts.clock.monotonic();
    const looked = [...this.#all];
    if (looked.length === 0 || (await this.#parts.isBehind())) return;
    const found = await this.#parts.people.findAll([...new Set(looked.map(({ token_sha256 }) => token_sha256))]);
    for (const listener of looked) await this.#judge(listener, found.get(listener.token_sha256), looked_at);
  }

  /** Once a second: pauses or ends streams whose rights could not be checked, and sends a postponed reset. */
  tick(): void {
    if (this.#is_reset_due) this.resetAll();
    const now = this.#parts.clock.monotonic();
    for (const listener of this.#all) {
      const unseen_ms = now - listener.seen_at;
      if (unseen_ms > LOST_MS) this.#end(listener);
      else if (unseen_ms > UNSEEN_MS) listener.held_at ??= this.recent.positions() ?? NOWHERE;
    }
  }

  endAll(): void {
    this.#is_closed = true;
    for (const listener of this.#all) this.#end(listener);
  }

  async #judge(listener: Listener, who: SessionHolder | undefined, looked_at: number): Promise<void> {
    const may =
      who !== undefined &&
      isPerson(who) &&
      (hasSameRoles(who, listener.person) || (await this.#parts.hasPartIn(who, listener.account_id)));
    if (!may) return this.#end(listener);
    const { held_at } = listener;
    listener.person = who;
    listener.seen_at = looked_at;
    if (held_at === null) return;
    listener.held_at = null;
    this.#push(listener, { text: this.#missedSince(listener, held_at), about: null });
  }

  /**
   * The frames that a listener missed, or a reset. The id comes last, so that a client cut off in between resumes from
   * its old id.
   */
  #missedSince(listener: Listener, before: StreamPositions): string {
    const missed = this.recent.since(listener.account_id, before, MAX_MISSED);
    const frames = missed?.filter((change) => isOfTeam(listener, change)).map((change) => `${dataOf(change)}\n`);
    return `${frames?.join('') ?? RESET_FRAME}${this.#idFrame(listener.account_id)}`;
  }

  #idFrame(account_id: string): string {
    const positions = this.recent.positions();
    return positions === null ? '' : `id: ${this.#parts.ids.encode(account_id, positions)}\n\n`;
  }

  #tell(listeners: ReadonlySet<Listener>, change: RenderChange, frame: StreamFrame): void {
    for (const listener of listeners)
      if (listener.held_at === null && isOfTeam(listener, change)) this.#push(listener, frame);
  }

  #push(listener: Listener, frame: StreamFrame): void {
    if (!listener.queue.push(frame)) this.#leave(listener);
  }

  #end(listener: Listener): void {
    listener.queue.end();
    this.#leave(listener);
  }

  #leave(listener: Listener): void {
    this.#all.delete(listener);
    const others = this.#byAccount.get(listener.account_id);
    others?.delete(listener);
    if (others?.size === 0) this.#byAccount.delete(listener.account_id);
  }
}
