/**
 * One film on many workers: the same film by one worker and by two with one core each, alternating. Ten and fifty
 * workers are simulated from the times of one. With one worker, the second core encodes another film. The film is 1080p
 * and generated from the seed. `--cores 2` measures one worker with two cores, and simulates the others.
 * SEED=<n> node bench/render/workers/main.ts [--seconds 60] [--pairs 2] [--cores 1]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seedDemo } from '../../../demo/seed.ts';
import { COMPONENTS } from '../../../stack/components.ts';
import { launcherEnvironment, programEnvironment } from '../../../stack/environment.ts';
import { startStack } from '../../../stack/launcher.ts';
import { freePort } from '../../../stack/process/ports.ts';
import { catchStopSignals } from '../../../stack/process/stop-signals.ts';
import { ROOT } from '../../../stack/servers/tools.ts';
import { openStackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { postBody } from '../../post-render.ts';
import { completedAt } from '../../renders.ts';
import { CASE_TEMPLATE_ID } from '../cases.ts';
import { generateFilm } from '../films/draw-film.ts';
import { filmCase } from '../films/film-case.ts';
import { makeFilmSources } from '../films/sources.ts';
import { type FilmPhaseTimes, simulateRender } from './simulated.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    pairs: { type: 'string', default: '2' },
    cores: { type: 'string', default: '1' },
  },
});
const SECONDS = Number(values.seconds);
const PAIRS = Number(values.pairs);
const CORES = Number(values.cores);
const SEED = Number(process.env.SEED ?? Date.now() % 100_000);
const BOUND_MS = 1_800_000;
const SEGMENT_S = 4;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { stop } = catchStopSignals();
const folder = await mkdtemp(join(tmpdir(), 'bench-workers-'));
const sources = join(folder, 'sources');
await mkdir(sources);

/** The first film of the seed that is 1080p. */
const drawnFilm = () => {
  for (let n = 0; ; n += 1) {
    const film = generateFilm(SEED, n, { least_s: SECONDS, most_s: SECONDS });
    if (Math.min(film.width, film.height) >= 1080) return { n, film };
  }
};

const files = await makeFilmSources(sources, SECONDS);
const { n, film } = drawnFilm();
const one = await filmCase(`${n} ${film.kind}, ${film.duration} s, ${film.width}x${film.height}`, film, files);
await writeFile(join(sources, 'project.json'), JSON.stringify(one.project));

const components = COMPONENTS.map(({ name }) => name).filter((name) => name !== 'worker');
const limits = { RATE_LIMIT_PER_S: '1000000', RATE_LIMIT_BURST: '1000000' };
const stack = await startStack({ dataDir: join(folder, 'data'), components, signal: stop, env: limits });
const workers: ChildProcess[] = [];
try {
  const clients = await openStackClients(stack.env);
  const startWorker = async (core: number): Promise<void> => {
    const health = await freePort();
    const cores = CORES === 1 ? String(core) : `0-${CORES - 1}`;
    const worker = spawn('taskset', ['-c', cores, process.execPath, join(ROOT, 'render-workers/worker/main.ts')], {
      cwd: ROOT,
      env: {
        ...programEnvironment(launcherEnvironment(process.env)),
        ...stack.env,
        ...{
          HEALTH_PORT: String(health),
          WORK_DIR: join(folder, `work-${core}`),
          LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
        },
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    workers.push(worker);
    const ready = async () => (await fetch(`http://127.0.0.1:${health}/health/ready`)).ok;
    await pollUntil('the worker is ready', () => ready().catch(() => false), 60_000);
  };
  const endWorker = async (): Promise<void> => {
    const worker = workers.pop();
    worker?.kill('SIGTERM');
    if (worker?.exitCode === null) await once(worker, 'exit');
  };
  /** Keeps the second core busy, so that the servers of the stack have the same share as with two workers. */
  const whileBusy = async <A>(work: () => Promise<A>): Promise<A> => {
    if (CORES > 1) return await work();
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=1920x1080:rate=30', '-c:v', 'libx264', '-threads', '1'];
    const other = spawn('taskset', ['-c', '1', 'ffmpeg', '-v', 'error', ...picture, '-f', 'null', '-'], {
      stdio: 'ignore',
    });
    workers.push(other);
    try {
      return await work();
    } finally {
      other.kill('SIGKILL');
      workers.splice(workers.indexOf(other), 1);
    }
  };
  let made = 0;
  /** Uses a new account each time, so that its cache is empty. */
  const render = async (): Promise<FilmPhaseTimes & { readonly whole_ms: number }> => {
    stop.throwIfAborted();
    made += 1;
    const seeded_path = join(folder, `seeded-${made}.json`);
    const seeded = await seedDemo({ env: stack.env, seeded_path, project: sources });
    const body = {
      name: 'Bench',
      project_id: seeded.project_id,
      template_id: CASE_TEMPLATE_ID,
      values: { name: 'Grace' },
    };
    const id = await postBody(stack.base_url, seeded, JSON.stringify(body));
    const events = await completedAt(clients, id, BOUND_MS);
    const at = (type: string): number => events.findLast(({ fact }) => fact.type === type)?.appended_at ?? Number.NaN;
    const finished = events.map(({ fact }) => fact).find((fact) => fact.type === 'RenderingFinished');
    const encoding_ms = finished?.engine_ms ?? Number.NaN;
    return {
      whole_ms: at('RenderCompleted') - at('RenderAssigned'),
      head_ms: at('RenderingFinished') - at('RenderAssigned') - encoding_ms,
      ...{ encoding_ms, tail_ms: at('RenderCompleted') - at('RenderingFinished') },
      segments: Math.max(1, Math.round(SECONDS / SEGMENT_S)),
    };
  };
  const s = (ms: number): string => (ms / 1_000).toFixed(1);
  const mean = (list: readonly number[]): number => list.reduce((sum, ms) => sum + ms, 0) / list.length;

  say(`SEED=${SEED}: ${one.name}. From assignment to completion, the film's sources fetched each time.`);
  await startWorker(0);
  const [alone, together]: [FilmPhaseTimes[], number[]] = [[], []];
  const wholes: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const by_one = await whileBusy(render);
    alone.push(by_one);
    wholes.push(by_one.whole_ms);
    say(
      `one worker: ${s(by_one.whole_ms)} s; encoding ${s(by_one.encoding_ms)}, before and join ${s(by_one.head_ms)}, store ${s(by_one.tail_ms)}`,
    );
    if (CORES > 1) continue;
    await startWorker(1);
    const { whole_ms } = await render();
    together.push(whole_ms);
    say(`two workers: ${s(whole_ms)} s, ${(whole_ms / by_one.whole_ms).toFixed(2)} of it`);
    await endWorker();
  }
  if (together.length > 0) say(`two by one: ${(mean(together) / mean(wholes)).toFixed(2)}`);
  const measured: FilmPhaseTimes = {
    head_ms: mean(alone.map(({ head_ms }) => head_ms)),
    encoding_ms: mean(alone.map(({ encoding_ms }) => encoding_ms)),
    tail_ms: mean(alone.map(({ tail_ms }) => tail_ms)),
    segments: alone[0]?.segments ?? 1,
  };
  say('Simulated, each worker with cores of its own:');
  for (const count of [1, 2, 10, 50]) {
    const ms = simulateRender(measured, count);
    say(`${String(count).padStart(2)}: ${s(ms)} s, ${(ms / simulateRender(measured, 1)).toFixed(2)}`);
  }
  await clients.close();
} catch (error) {
  if (!stop.aborted) throw error;
} finally {
  while (workers.length > 0) workers.pop()?.kill('SIGKILL');
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
}
