import type { Observation } from '../domain/dispatch/dispatch.ts';
import { createDispatcher, type Dispatcher } from '../domain/dispatch/dispatcher.ts';
import type { Attempt, Render } from '../domain/render/render.ts';
import { LOADED, readyRender, renderSeen, runningAttempt, workerHeartbeat } from '../stack/testing/dispatch-samples.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';

const RENDERS = 100_000;
const WORKERS = 1_000;
const SLOTS = 2;
const ACCOUNTS = 500;
const TEAMS = 3;
const TURNS = 4_000;
const TURN_MS = 5;
const BEAT_EVERY_MS = 2_000;
const RENDERED_IN_MS = 20_000;
const LIMITS = { account_cap: 100, environment_timeout_ms: 86_400_000 };

type Running = { readonly render: Render; readonly attempt: Attempt; readonly until: number };

const renderOf = (n: number): Render =>
  readyRender(`rend_${n}`, {
    account_id: `acc_${n % ACCOUNTS}`,
    team_id: `team_${n % ACCOUNTS}_${n % TEAMS}`,
    created_at: n,
  });

type Takeover = {
  readonly took: number;
  readonly heap: number;
  /** The time of each call of `observe`, in ms. */
  readonly blocked: readonly number[];
};

/** Observes all renders, 500 per call. */
const takeOver = (dispatcher: Dispatcher, observationOf: (n: number) => Observation): Takeover => {
  const heap_before = process.memoryUsage().heapUsed;
  const began = performance.now();
  const blocked: number[] = [];
  for (let n = 0; n < RENDERS; n += 500) {
    const chunk = Array.from({ length: 500 }, (_, i) => observationOf(n + i));
    const from = performance.now();
    dispatcher.observe(chunk, 0);
    blocked.push(performance.now() - from);
  }
  return { took: performance.now() - began, heap: process.memoryUsage().heapUsed - heap_before, blocked };
};

/**
 * The dispatcher's core with 100,000 open renders; a tenth have already lost an attempt. 1,000 workers send heartbeats,
 * finish renders and get new ones. For each render that ends, a new one arrives.
 */
export const benchDispatch = (say: (line: string) => void): readonly BenchmarkResult[] => {
  say('Measuring: dispatch …');
  const workers = Array.from({ length: WORKERS }, (_, i) => ({
    id: `wkr_${i.toString(16).padStart(8, '0')}_01`,
    beat: 0,
    running: new Map<string, Running>(),
  }));
  let minted = 0;
  const dispatcher = createDispatcher(LIMITS, () => {
    minted += 1;
    return `att_${minted}`;
  });
  let offset = 0;
  const seenNow = (render: Render, by: string | null = null): Observation => {
    offset += 1;
    return renderSeen(render, offset, by);
  };
  const lostBefore = (render: Render, n: number): Render => {
    const worker_id = workers[n % WORKERS]?.id ?? '';
    const id = `att_old_${n}`;
    return { ...render, attempts: [{ id, n: 1, worker_id, progressed: true, finished: false, lost: 'crashed' }] };
  };

  const { took, heap, blocked } = takeOver(dispatcher, (n) => {
    const render = renderOf(n);
    return seenNow(n % 10 === 0 ? lostBefore(render, n) : render);
  });

  let posted = RENDERS;
  let assigned = 0;
  const turns: number[] = [];
  let inbox: Observation[] = [LOADED];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const now = turn * TURN_MS;
    if (now % BEAT_EVERY_MS === 0) inbox.push({ tag: 'own_heartbeat', sent_at: now });
    for (const [i, worker] of workers.entries()) {
      if ((now + i * 2) % BEAT_EVERY_MS < TURN_MS) {
        worker.beat += 1;
        const shown = Array.from(worker.running.values(), ({ render, attempt }) =>
          runningAttempt(render.id, attempt.id),
        );
        inbox.push(workerHeartbeat(worker.id, worker.beat, shown, { slots: SLOTS }));
      }
      for (const [id, { render, attempt, until }] of worker.running) {
        if (until > now) continue;
        worker.running.delete(id);
        inbox.push(seenNow({ ...render, status: 'complete', attempts: [attempt] }, `worker:${worker.id}`));
        inbox.push(seenNow(renderOf(posted)));
        posted += 1;
      }
    }
    const from = performance.now();
    dispatcher.observe(inbox, now);
    const actions = dispatcher.decide(now);
    turns.push(performance.now() - from);
    inbox = [];
    for (const action of actions) {
      if (action.tag === 'start')
        inbox.push({ tag: 'command_sent', render_id: action.render.id, attempt_id: action.attempt_id });
      if (action.tag !== 'assign') continue;
      assigned += 1;
      const { attempt_id: id, n, worker_id, render } = action;
      const attempt: Attempt = { id, n, worker_id, progressed: false, finished: false, lost: null };
      const assigned_render: Render = { ...render, status: 'queued', attempts: [...render.attempts, attempt] };
      const until = now + RENDERED_IN_MS / 2 + ((assigned * 7_919) % RENDERED_IN_MS);
      workers.find((worker) => worker.id === worker_id)?.running.set(id, { render: assigned_render, attempt, until });
      inbox.push(seenNow(assigned_render));
    }
  }
  const busy_ms = turns.reduce((sum, one) => sum + one, 0);
  const what = `${RENDERS.toLocaleString('en')} renders, ${WORKERS.toLocaleString('en')} workers`;
  return [
    [
      `dispatcher: a turn, p50 / p99 / longest (${what})`,
      [0.5, 0.99, 1].map((q) => millisecondsText(quantile(turns, q))).join(' / '),
      'p99 under 5 ms',
    ],
    ['dispatcher: assignments per second of its own time', (assigned / (busy_ms / 1_000)).toFixed(0), ''],
    [
      'dispatcher: taking over, whole / longest without a pause',
      `${millisecondsText(took)} / ${millisecondsText(quantile(blocked, 1))}`,
      'far below the session of 6 s',
    ],
    ['dispatcher: memory for each open render', `${(heap / RENDERS / 1024).toFixed(1)} KiB`, ''],
  ];
};
