/**
 * How an endpoint takes attempts, as far as this process has seen: `trouble` after one that timed out or could not
 * connect, until one succeeds.
 */
export type CircuitState = 'unknown' | 'prompt' | 'slow' | 'trouble';

/** An attempt that takes longer than this makes its endpoint a slow one. */
export const SLOW_MS = 2_000;

/**
 * The state of the circuit while attempts are under way.
 *
 * @param begun when they began, ms
 */
export const circuitStateNow = (last: CircuitState, begun: Iterable<number>, now: number): CircuitState => {
  if (last === 'trouble') return last;
  for (const at of begun) if (now - at > SLOW_MS) return 'slow';
  return last;
};

/** The state of the circuit once an attempt has ended. */
export const circuitStateAfter = (
  before: CircuitState,
  attempt: { readonly succeeded: boolean; readonly answered: boolean; readonly duration_ms: number },
): CircuitState => {
  if (!attempt.answered) return 'trouble';
  if (before === 'trouble' && !attempt.succeeded) return before;
  return attempt.duration_ms > SLOW_MS ? 'slow' : 'prompt';
};

/** Attempts under way at once. */
export type Limits = { readonly in_all: number; readonly per_endpoint: number };

/** How many of the attempts under way are at endpoints in which state. */
export type UnderWayBy = Readonly<Record<CircuitState, number>>;

/** Above half of all that can be under way no endpoint has more than this. */
const MOST_WHEN_CROWDED = 2;

const sum = ({ unknown, prompt, slow, trouble }: UnderWayBy): number => unknown + prompt + slow + trouble;

/**
 * How many attempts an endpoint may have under way: one, until it has shown that it takes them; and no more than it has
 * while one of them takes long.
 *
 * @param begun when those under way began, ms
 */
export const mostAtEndpoint = (
  last: CircuitState,
  begun: Iterable<number>,
  now: number,
  under_way: UnderWayBy,
  { in_all, per_endpoint }: Limits,
): number => {
  if (last === 'trouble' || last === 'unknown') return 1;
  for (const at of begun) if (now - at > SLOW_MS) return 0;
  return sum(under_way) * 2 >= in_all ? Math.min(MOST_WHEN_CROWDED, per_endpoint) : per_endpoint;
};

/**
 * Whether there is room for one more attempt at an endpoint in that state. Those in trouble and slow ones have half
 * of all at most, with those of which nothing is known three quarters: however many hang, the others go on.
 */
export const hasRoom = (state: CircuitState, under_way: UnderWayBy, { in_all }: Limits): boolean => {
  const held_up = under_way.trouble + under_way.slow;
  if (sum(under_way) >= in_all) return false;
  if (state === 'prompt') return true;
  if (state === 'unknown') return held_up + under_way.unknown < Math.ceil((in_all * 3) / 4);
  return held_up < Math.floor(in_all / 2);
};
