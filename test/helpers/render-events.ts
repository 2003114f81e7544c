import type { Meta } from '../../domain/event/meta.ts';
import type {
  AttemptLost,
  Output,
  RenderAssigned,
  RenderCompleted,
  RenderErased,
  RenderEvent,
  RenderFailed,
  RenderingFinished,
  RenderPrepared,
  RenderProgressed,
  RenderRequested,
} from '../../domain/render/events.ts';

const META: Meta = {
  event_id: '01JD0000000000000000000000',
  occurred_at: 1_000,
  actor: 'key:key_1',
  causation_id: null,
  correlation_id: 'req_1',
};

export const RENDER_ID = 'rend_01JD0000000000000000000001';

export const metaBy = (actor: string): Meta => ({ ...META, actor });

/** Events of the render `RENDER_ID` for given/when/then tests, with default members. */
export const requested = (change: Partial<RenderRequested> = {}): RenderRequested => ({
  type: 'RenderRequested',
  meta: META,
  render_id: RENDER_ID,
  fold_version: 1,
  name: 'Spring sale',
  account_id: 'acc_1',
  team_id: 'team_1',
  project_id: 'proj_1',
  project_version: 3,
  template_id: 'tpl_1',
  render_type: 'local',
  created_by: 'user_1',
  request: { path: `renders/${RENDER_ID}/request.json`, sha256: 'ab' },
  request_hash: null,
  reserved_credits: 10,
  name_sha256: null,
  draft: false,
  sealed: null,
  ...change,
});

export const prepared: RenderPrepared = {
  type: 'RenderPrepared',
  meta: metaBy('preparer:prep_1'),
  render_id: RENDER_ID,
  composition: { path: `renders/${RENDER_ID}/composition.json`, sha256: 'cd' },
  price_credits: 10,
  width: 1280,
  height: 720,
  fps_num: 30,
  fps_den: 1,
  frames: 300,
};

export const assigned = (attempt_id: string, n: number): RenderAssigned => ({
  type: 'RenderAssigned',
  meta: metaBy('dispatcher:disp_1'),
  render_id: RENDER_ID,
  attempt_id,
  n,
  worker_id: 'wkr_1',
});

export const lost = (attempt_id: string, reason = 'crashed'): AttemptLost => ({
  type: 'AttemptLost',
  meta: metaBy('dispatcher:disp_1'),
  render_id: RENDER_ID,
  attempt_id,
  reason,
  detail: null,
});

export const progressed = (attempt_id: string): RenderProgressed => ({
  type: 'RenderProgressed',
  meta: metaBy('worker:wkr_1'),
  render_id: RENDER_ID,
  attempt_id,
  frames_done: 10,
  frames_total: 300,
});

export const finished = (attempt_id: string): RenderingFinished => ({
  type: 'RenderingFinished',
  meta: metaBy('worker:wkr_1'),
  render_id: RENDER_ID,
  attempt_id,
  frames: 300,
  engine_ms: 4_000,
  frames_cached: 120,
});

export const master: Output = {
  variant: 'master',
  path: `renders/${RENDER_ID}/att_1/master.mp4`,
  content_type: 'video/mp4',
  size_bytes: 1_000,
  sha256: 'ef',
  width: 1280,
  height: 720,
  duration_ms: 10_000,
};

export const poster: Output = {
  ...master,
  variant: 'poster',
  path: `renders/${RENDER_ID}/att_1/poster.jpg`,
  content_type: 'image/jpeg',
};

export const completed = (attempt_id: string): RenderCompleted => ({
  type: 'RenderCompleted',
  meta: metaBy('worker:wkr_1'),
  render_id: RENDER_ID,
  attempt_id,
  outputs: [master],
  poster: null,
});

export const failed = (actor: string, attempt_id: string | null): RenderFailed => ({
  type: 'RenderFailed',
  meta: metaBy(actor),
  render_id: RENDER_ID,
  attempt_id,
  stage: 'rendering',
  code: 'font_unknown',
  message: 'layers[2].font_family: there is no such font',
  field: 'layers[2].font_family',
});

export const cancelled = (by = 'key:key_1'): RenderFailed => ({
  ...failed(by, null),
  stage: 'preparation',
  code: 'cancelled',
  message: 'the render was cancelled',
  field: null,
});

export const EVERY_EVENT: readonly RenderEvent[] = [
  requested(),
  requested({ name: 'Another' }),
  prepared,
  ...['att_1', 'att_2'].flatMap((id, i): RenderEvent[] => [
    assigned(id, i + 1),
    progressed(id),
    finished(id),
    completed(id),
    lost(id),
    failed('worker:wkr_1', id),
  ]),
  failed('preparer:prep_1', null),
  failed('dispatcher:disp_1', null),
  failed('key:key_1', null),
  cancelled(),
];

export const erased = (actor = 'operator:ops'): RenderErased => ({
  type: 'RenderErased',
  meta: metaBy(actor),
  render_id: RENDER_ID,
});
