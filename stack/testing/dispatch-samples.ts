import type { Observation } from '../../domain/dispatch/dispatch.ts';
import type { RunningAttempt, WorkerBeat } from '../../domain/dispatch/heartbeats.ts';
import type { Attempt, Render } from '../../domain/render/render.ts';

const META = { event_id: '01J00000000000000000000000', occurred_at: 0, causation_id: null, correlation_id: null };

export const readyRender = (id: string, change: Partial<Render> = {}): Render => ({
  id,
  fold_version: 1,
  name: 'Spring sale',
  account_id: 'acc_1',
  team_id: 'team_1',
  project_id: 'proj_1',
  project_version: 3,
  template_id: null,
  type: 'local',
  created_by: null,
  created_at: 1_000,
  updated_at: 2_000,
  status: 'ready',
  seq: 2,
  request: null,
  request_hash: null,
  correlation_id: 'req_1',
  reserved_credits: 10,
  prepared: {
    composition: { path: `renders/${id}/composition.json`, sha256: 'cd' },
    price_credits: 10,
    width: 1280,
    height: 720,
    fps_num: 30,
    fps_den: 1,
    frames: 300,
  },
  attempts: [],
  outputs: [],
  poster: null,
  charged_credits: 0,
  failure: null,
  erased_at: null,
  sealed: null,
  ...change,
});

export const sampleAttempt = (id: string, n: number, change: Partial<Attempt> = {}): Attempt => ({
  id,
  n,
  worker_id: 'wkr_1',
  progressed: false,
  finished: false,
  lost: null,
  ...change,
});

export const renderSeen = (render: Render, offset: number, actor: string | null = null): Observation => ({
  tag: 'render_seen',
  render,
  offset,
  event_id: `evt_${offset}`,
  actor,
});

export const runningAttempt = (render_id: string, attempt_id: string): RunningAttempt => ({
  render_id,
  attempt_id,
  stage: 'rendering',
  frames_done: 1,
  frames_total: 300,
});

export const workerHeartbeat = (
  worker_id: string,
  beat: number,
  attempts: readonly RunningAttempt[] = [],
  change: Partial<Pick<WorkerBeat, 'slots' | 'draining' | 'engines' | 'impediments'>> = {},
): Observation => ({
  tag: 'worker_heartbeat',
  beat: {
    type: 'WorkerBeat',
    meta: { ...META, actor: `worker:${worker_id}` },
    worker_id,
    beat,
    slots: change.slots ?? 1,
    draining: change.draining ?? false,
    attempts: [...attempts],
    failed: [],
    engines: change.engines ?? [2],
    impediments: change.impediments ?? [],
    ...{ wanted: [], helps: [] },
  },
});

export const LOADED: Observation = { tag: 'loaded' };
