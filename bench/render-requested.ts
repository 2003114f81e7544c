import { ulid } from 'ulid';
import { actor } from '../domain/event/meta.ts';
import type { RenderRequested } from '../domain/render/events.ts';

export const benchMeta = () => ({
  event_id: ulid(),
  occurred_at: Date.now(),
  actor: actor('key', 'bench'),
  causation_id: null,
  correlation_id: null,
});

type Named = Pick<RenderRequested, 'render_id' | 'account_id' | 'team_id'> & Partial<RenderRequested>;

/** The event that begins a render, as a command API would append it. */
export const renderRequested = (about: Named): RenderRequested => ({
  type: 'RenderRequested',
  meta: benchMeta(),
  fold_version: 1,
  name: 'Bench',
  project_id: 'proj_bench',
  project_version: 1,
  template_id: null,
  render_type: 'local',
  created_by: null,
  request: null,
  request_hash: null,
  reserved_credits: 1,
  name_sha256: null,
  draft: false,
  sealed: null,
  ...about,
});
