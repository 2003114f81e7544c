import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** A time for which the event loop of a process stood still because of its own work. */
export type Stall = {
  /** When it was over. */
  readonly at: number;
  readonly program: string;
  readonly ms: number;
  /** The last ones that began before. */
  readonly requests: readonly string[];
};

/** An option of Node's that makes a process write its stalls to this file, which many processes may share. */
export const stallOption = (file: string): string => {
  const meter = pathToFileURL(new URL('stall-meter.ts', import.meta.url).pathname);
  meter.searchParams.set('file', file);
  return `--import=${meter.href}`;
};

const writtenIn = (file: string): readonly Stall[] => {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line !== '').map((line): Stall => JSON.parse(line));
};

const isOf = ({ program }: Stall, name: string): boolean => program.includes(`/${name}/`);

/** The stalls of these programs since then, the longest first. @param programs such as `command-api` */
export const stallsIn = (file: string, programs: readonly string[], since: number): readonly Stall[] =>
  writtenIn(file)
    .filter((stall) => stall.at >= since && programs.some((name) => isOf(stall, name)))
    .toSorted((a, b) => b.ms - a.ms);

/** The programs that did not load the meter: nothing is known of them. */
export const unmeasuredIn = (file: string, programs: readonly string[]): readonly string[] => {
  const written = writtenIn(file);
  return programs.filter((name) => !written.some((stall) => isOf(stall, name)));
};

/** What a client may make other clients wait for. */
const MOST_MS = 100;

const stallText = ({ program, ms, requests }: Stall): string =>
  `${program} stood still for ${Math.round(ms)} ms: ${requests.join(', ')}`;

/** Those that are too long, as text. */
export const longStalls = (stalls: readonly Stall[]): readonly string[] =>
  stalls.filter(({ ms }) => ms > MOST_MS).map(stallText);
