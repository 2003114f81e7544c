import { readFile } from 'node:fs/promises';

/**
 * The time of one render by kind of work. The sum of `wall_ms` is the total: each moment counts for the first active
 * kind.
 */
export type ProfileShare = { readonly kind: string; readonly wall_ms: number; readonly cpu_ms: number };

const SAMPLE_EVERY_MS = 50;
const TICK_MS = 10;

/** In order of precedence. */
const KINDS: readonly (readonly [kind: string, is: (command: string) => boolean])[] = [
  ['decode, composite, encode', (command) => command.includes('segment_frames') || command.includes('pipe:1')],
  ['join', (command) => command.includes('concat,mov,mp4')],
  ['sound', (command) => command.includes('sound-graph')],
  ['probe', (command) => command.includes('ffprobe')],
  ['raster', (command) => command.includes('raster')],
  ['poster', (command) => command.includes('.jpg')],
  ['other programs', () => true],
];
/** This process: planning, hashing, checking parts, starting programs. */
const ENGINE = 'engine itself';

const kindOf = (command: string): string | null =>
  command === '' ? null : (KINDS.find(([, is]) => is(command))?.[0] ?? null);

type Seen = { readonly kind: string; readonly cpu_ms: number };

const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

const cpuOf = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
};

const descendants = async (pid: number): Promise<readonly number[]> => {
  const children = (await read(`/proc/${pid}/task/${pid}/children`)).split(' ').filter((child) => child !== '');
  const below = await Promise.all(children.map((child) => descendants(Number(child))));
  return [...children.map(Number), ...below.flat()];
};

/** Sampling misses programs that run shorter than an interval; their CPU time counts for the engine. Linux only. */
export const profileWork = async (work: () => Promise<void>): Promise<readonly ProfileShare[]> => {
  const seen = new Map<number, Seen>();
  const wall = new Map<string, number>();
  const own_before = process.cpuUsage();
  let [last, busy, sampled] = [performance.now(), false, Promise.resolve()];
  const sample = async (): Promise<void> => {
    const alive = new Set<string>();
    for (const pid of await descendants(process.pid)) {
      const stat = await read(`/proc/${pid}/stat`);
      const kind = seen.get(pid)?.kind ?? kindOf(await read(`/proc/${pid}/cmdline`));
      if (stat === '' || kind === null) continue;
      alive.add(kind);
      seen.set(pid, { kind, cpu_ms: cpuOf(stat) });
    }
    const now = performance.now();
    const kind = KINDS.find(([name]) => alive.has(name))?.[0] ?? ENGINE;
    wall.set(kind, (wall.get(kind) ?? 0) + now - last);
    last = now;
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    sampled = sample().finally(() => {
      busy = false;
    });
  }, SAMPLE_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await sampled;
  }
  const own = process.cpuUsage(own_before);
  const cpu = new Map([[ENGINE, (own.user + own.system) / 1_000]]);
  for (const { kind, cpu_ms } of seen.values()) cpu.set(kind, (cpu.get(kind) ?? 0) + cpu_ms);
  return [...KINDS.map(([kind]) => kind), ENGINE]
    .map((kind) => ({ kind, wall_ms: wall.get(kind) ?? 0, cpu_ms: cpu.get(kind) ?? 0 }))
    .filter(({ wall_ms, cpu_ms }) => wall_ms + cpu_ms > 0);
};
