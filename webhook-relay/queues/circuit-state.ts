/**
 * How an endpoint answers the attempts of this process. `trouble` lasts from a timeout or failed connection until the
 * next success.
 */
export type CircuitState = 'unknown' | 'prompt' | 'slow' | 'trouble';

export const SLOW_MS = 2_000;

export type EndedAttempt = { readonly succeeded: boolean; readonly answered: boolean; readonly duration_ms: number };

/** The knowledge of this process about an endpoint. Only `circuitAfter` changes it. */
export type Circuit = {
  readonly last: CircuitState;
  /** When each running attempt began, in ms since the epoch, by attempt number. */
  readonly began_at: ReadonlyMap<number, number>;
  /** Running attempts, plus ended ones whose outcome is not stored yet. */
  readonly open: number;
};

export const UNKNOWN_CIRCUIT: Circuit = { last: 'unknown', began_at: new Map(), open: 0 };

export type CircuitEvent =
  | { readonly tag: 'attempt_begun'; readonly attempt: number; readonly at: number }
  | { readonly tag: 'attempt_ended'; readonly attempt: number; readonly ended: EndedAttempt | null }
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

/** The current state: `slow` also if a running attempt is slow by now. */
export const circuitStateNow = (circuit: Circuit, now: number): CircuitState =>
  circuit.last !== 'trouble' && isSlowNow(circuit, now) ? 'slow' : circuit.last;

export type AttemptLimits = { readonly in_all: number; readonly per_endpoint: number };

export type RunningAttemptCounts = Readonly<Record<CircuitState, number>>;

/** The maximum of running attempts per endpoint while more than half of all possible attempts run. */
const MAX_WHEN_CROWDED = 2;

const sum = ({ unknown, prompt, slow, trouble }: RunningAttemptCounts): number => unknown + prompt + slow + trouble;

/** The maximum of unstored outcomes per endpoint. More would block the store for other endpoints. */
const MAX_OPEN = 64;
const MAX_OPEN_IN_TROUBLE = 8;

/**
 * The maximum of running attempts for an endpoint. It is one until the endpoint has answered once; while an attempt is
 * slow, no other may begin.
 */
const maxUnderWay = (
  circuit: Circuit,
  now: number,
  under_way: RunningAttemptCounts,
  { in_all, per_endpoint }: AttemptLimits,
): number => {
  if (circuit.last === 'trouble' || circuit.last === 'unknown') return 1;
  if (isSlowNow(circuit, now)) return 0;
  return sum(under_way) * 2 >= in_all ? Math.min(MAX_WHEN_CROWDED, per_endpoint) : per_endpoint;
};

export const isAtCapacity = (
  circuit: Circuit,
  now: number,
  under_way: RunningAttemptCounts,
  limits: AttemptLimits,
): boolean =>
  circuit.open >= (circuit.last === 'trouble' ? MAX_OPEN_IN_TROUBLE : MAX_OPEN) ||
  circuit.began_at.size >= maxUnderWay(circuit, now, under_way, limits);

/**
 * Whether an endpoint in this state may get one more attempt. Endpoints in trouble and slow ones together get at most
 * half of all attempts; with unknown ones, three quarters. So endpoints that hang never block others.
 */
export const hasCapacity = (
  state: CircuitState,
  under_way: RunningAttemptCounts,
  { in_all }: AttemptLimits,
): boolean => {
  const hanging = under_way.trouble + under_way.slow;
  if (sum(under_way) >= in_all) return false;
  if (state === 'prompt') return true;
  if (state === 'unknown') return hanging + under_way.unknown < Math.ceil((in_all * 3) / 4);
  return hanging < Math.floor(in_all / 2);
};
