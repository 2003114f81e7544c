import { type Attack, attacksOn, textOf } from './_attacks.ts';

/** The longest text that reaches an expression, and the time limit for it. */
export type Allowed = { readonly length: number; readonly ms: number };

/** The use of an expression: one match, or all matches. */
export type Usage = { readonly expression: RegExp; readonly everywhere: boolean };

/** A text for which an expression is too slow: its parts, its length and the time. */
export type Slow = Attack & { readonly length: number; readonly ms: number };

/** A busy machine slows some tries, but never all: the shortest counts. */
const TRIES = 15;
/** Texts that exceed the limit by this factor in each of several tries are not tried again. */
const FAR_TOO_LONG = 5;
const TRIES_OF_FAR_TOO_LONG = 2;

/** Length of the first texts: so short that even exponential time is short. */
const SHORTEST = 6;
/**
 * Factor from one length to the next. Exponential time then grows about 50 times, so slowness shows before it takes
 * minutes.
 */
const STEP = 1.3;
const SCREENED_LENGTH = 600;
const LONG_STEP = 4;
/** The number of slowest attacks at one length that are tried with longer texts. */
const MAX_FINALISTS = 5;

type Spent = { readonly wall_ms: number; readonly cpu_ms: number };

const match = ({ expression, everywhere }: Usage, text: string): void => {
  expression.lastIndex = 0;
  if (everywhere) text.replace(expression, '');
  else expression.exec(text);
};

const wallTimeOf = (usage: Usage, text: string): number => {
  const began = performance.now();
  match(usage, text);
  return performance.now() - began;
};

const runOnce = (usage: Usage, text: string): Spent => {
  const used = process.threadCpuUsage();
  const wall_ms = wallTimeOf(usage, text);
  const { user, system } = process.threadCpuUsage(used);
  return { wall_ms, cpu_ms: (user + system) / 1_000 };
};

/** The shortest time of several tries; ends early if one is short enough, or all are far too long. */
const timeOf = (usage: Usage, text: string, enough_ms: number): number => {
  let least = wallTimeOf(usage, text);
  for (let i = 0; i < TRIES && least > enough_ms; i += 1) {
    if (i >= TRIES_OF_FAR_TOO_LONG && least > FAR_TOO_LONG * enough_ms) break;
    const { wall_ms, cpu_ms } = runOnce(usage, text);
    // The system counts CPU time in steps of 4 ms. A busy machine lengthens only the wall-clock time.
    least = Math.min(least, wall_ms, cpu_ms);
  }
  return least;
};

const slowWith = (usage: Usage, attack: Attack, length: number, limit_ms: number): Slow | null => {
  const text = textOf(attack, length);
  const ms = timeOf(usage, text, limit_ms);
  return ms > limit_ms ? { ...attack, length: text.length, ms } : null;
};

const slowWhileShort = (usage: Usage, attack: Attack, { length: allowed, ms }: Allowed): Slow | null => {
  const around = attack.prefix.length + attack.suffix.length;
  let pumped = 0;
  for (let length = SHORTEST; length < Math.min(SCREENED_LENGTH, allowed); length *= STEP) {
    const count = Math.floor(length / attack.pump.length);
    if (count === pumped) continue;
    pumped = count;
    const slow = slowWith(usage, attack, around + length, ms);
    if (slow !== null) return slow;
  }
  return null;
};

const slowWhileLonger = (usage: Usage, attack: Attack, { length: allowed, ms }: Allowed): Slow | null => {
  for (let length = SCREENED_LENGTH; length < LONG_STEP * allowed; length *= LONG_STEP) {
    const slow = slowWith(usage, attack, Math.min(length, allowed), ms);
    if (slow !== null) return slow;
  }
  return null;
};

/** A hostile text for which the expression is too slow; null if none was found. */
export const slowText = ({ expression, everywhere }: Usage, allowed: Allowed): Slow | null => {
  const flags = everywhere && !expression.global ? `${expression.flags}g` : expression.flags;
  const usage: Usage = {
    expression: new RegExp(expression.source, flags),
    everywhere: everywhere || expression.global,
  };
  const times: { readonly attack: Attack; readonly ms: number }[] = [];
  for (const attack of attacksOn(expression)) {
    const slow = slowWhileShort(usage, attack, allowed);
    if (slow !== null) return slow;
    const text = textOf(attack, Math.min(SCREENED_LENGTH, allowed.length));
    times.push({ attack, ms: Math.min(wallTimeOf(usage, text), wallTimeOf(usage, text)) });
  }
  const slowest = times.toSorted((a, b) => b.ms - a.ms).slice(0, MAX_FINALISTS);
  for (const { attack } of slowest) {
    const slow = slowWhileLonger(usage, attack, allowed);
    if (slow !== null) return slow;
  }
  return null;
};
