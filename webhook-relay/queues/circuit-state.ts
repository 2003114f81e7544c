/**
 * How an endpoint answers, as far as this process has seen: `trouble` after an attempt that timed out or could not
 * connect, until one succeeds.
 */
export type CircuitState = 'unknown' | 'prompt' | 'slow' | 'trouble';

/** An attempt that takes longer makes its endpoint `slow`. */
export const SLOW_MS = 2_000;

export type EndedAttempt = { readonly succeeded: boolean; readonly answered: boolean; readonly duration_ms: number };

/** The attempts of one endpoint. Only `circuitAfter` makes a new one. */
export type Circuit = {
  /** After the last attempt that ended. */
  readonly last: CircuitState;
  /** When each attempt under way began, ms since the epoch, by its number. */
  readonly began_at: ReadonlyMap<number, number>;
  /** Attempts under way, and those whose outcome is not stored yet. */
  readonly open: number;
};

export const UNKNOWN_CIRCUIT: Circuit = { last: 'unknown', began_at: new Map(), open: 0 };

export type CircuitEvent =
  | { readonly tag: 'attempt_begun'; readonly attempt: number; readonly at: number }
  /** `ended` is null if no request was sent. */
  | { readonly tag: 'attempt_ended'; readonly attempt: number; readonly ended: EndedAttempt | null }
  /** Its outcome is stored. */
  | { readonly tag: 'attempt_closed' };

const stateAfter = (before: CircuitState, attempt: EndedAttempt): CircuitState => {
  if (!attempt.answered) return 'trouble';
  if (before === 'trouble' && !attempt.succeeded) return before;
  return attempt.duration_ms > SLOW_MS ? 'slow' : 'prompt';
};

export const circuitAfter = (circuit: Circuit, event: CircuitEvent): Circuit => {
  switch (event.tag) {
    case 'attempt_begun':
      return { ...circuit, began_at: new Map(circuit.began_at).set(event.attempt, event.at), open: circuit.open + 1 };
    case 'attempt_ended': {
      const began_at = new Map(circuit.began_at);
      began_at.delete(event.attempt);
      return {
        ...circuit,
        began_at,
        last: event.ended === null ? circuit.last : stateAfter(circuit.last, event.ended),
      };
    }
    case 'attempt_closed':
      return { ...circuit, open: circuit.open - 1 };
  }
};

const isSlowNow = ({ began_at }: Circuit, now: number): boolean => began_at.values().some((at) => now - at > SLOW_MS);

/** The state of the circuit while attempts are under way. */
export const circuitStateNow = (circuit: Circuit, now: number): CircuitState =>
  circuit.last !== 'trouble' && isSlowNow(circuit, now) ? 'slow' : circuit.last;

/** Limits of attempts under way. */
export type Limits = { readonly in_all: number; readonly per_endpoint: number };

/** Attempts under way, by the state of their endpoints. */
export type UnderWayBy = Readonly<Record<CircuitState, number>>;

/** The limit of an endpoint while more than half of all possible attempts are under way. */
const MAX_WHEN_CROWDED = 2;

const sum = ({ unknown, prompt, slow, trouble }: UnderWayBy): number => unknown + prompt + slow + trouble;

/** Outcomes of one endpoint that are not stored yet: more would block the store for the others. */
const MAX_OPEN = 64;
const MAX_OPEN_IN_TROUBLE = 8;

/** How many attempts an endpoint may have under way: one until one was answered, and no further one while one is slow. */
const maxUnderWay = (
  circuit: Circuit,
  now: number,
  under_way: UnderWayBy,
  { in_all, per_endpoint }: Limits,
): number => {
  if (circuit.last === 'trouble' || circuit.last === 'unknown') return 1;
  if (isSlowNow(circuit, now)) return 0;
  return sum(under_way) * 2 >= in_all ? Math.min(MAX_WHEN_CROWDED, per_endpoint) : per_endpoint;
};

/** Whether the endpoint itself allows no further attempt. */
export const isFull = (circuit: Circuit, now: number, under_way: UnderWayBy, limits: Limits): boolean =>
  circuit.open >= (circuit.last === 'trouble' ? MAX_OPEN_IN_TROUBLE : MAX_OPEN) ||
  circuit.began_at.size >= maxUnderWay(circuit, now, under_way, limits);

/**
 * Whether all endpoints together allow one more attempt at an endpoint in that state. Endpoints in trouble and slow ones
 * share half of all attempts; with unknown ones they share three quarters. So endpoints that hang never block the others.
 */
export const hasRoom = (state: CircuitState, under_way: UnderWayBy, { in_all }: Limits): boolean => {
  const hanging = under_way.trouble + under_way.slow;
  if (sum(under_way) >= in_all) return false;
  if (state === 'prompt') return true;
  if (state === 'unknown') return hanging + under_way.unknown < Math.ceil((in_all * 3) / 4);
  return hanging < Math.floor(in_all / 2);
};
