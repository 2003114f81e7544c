import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import { createProject } from '../catalogue/projects.ts';
import type { SeededEntities } from '../demo/seeded.ts';
import { actor } from '../domain/event/meta.ts';
import type { Output, RenderEvent } from '../domain/render/events.ts';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import { catalogueReadModel } from '../read-models/catalogue/management.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { benchMeta, renderRequested } from './render-requested.ts';
import { waitUntilFolded } from './until-folded.ts';

export type FilledProject = { readonly project_id: string; readonly ids: readonly string[] };

const AT_ONCE = 500;
/** How long the projectors may take to fold the events, plus FOLDED_WITHIN_MS_PER_EVENT for each event. */
const FOLDED_WITHIN_MS = 180_000;
const FOLDED_WITHIN_MS_PER_EVENT = 10;
const HASH = '0'.repeat(64);

/** A search for "Spring" finds all renders; a search for the number finds one. */
const nameOf = (n: number): string => `Spring sale ${String(n).padStart(5, '0')}`;

const request = (
  { account_id, team_id }: SeededEntities,
  project_id: string,
  render_id: string,
  n: number,
): RenderEvent => renderRequested({ render_id, account_id, team_id, project_id, name: nameOf(n) });

/** The events that preparer, dispatcher and worker append, until the render is complete. */
export const completionEvents = (render_id: string): readonly RenderEvent[] => {
  const common = { meta: benchMeta(), render_id };
  const attempt_id = `att_${ulid()}`;
  const size = { width: 640, height: 360 };
  const master: Output = {
    variant: 'master',
    path: `renders/${render_id}/${attempt_id}/master.mp4`,
    content_type: 'video/mp4',
    size_bytes: 100_000,
    sha256: HASH,
    duration_ms: 4_000,
    ...size,
  };
  return [
    {
      type: 'RenderPrepared',
      ...common,
      composition: { path: `renders/${render_id}/composition.json`, sha256: HASH },
      price_credits: 1,
      fps_num: 30,
      fps_den: 1,
      frames: 120,
      ...size,
    },
    { type: 'RenderAssigned', ...common, attempt_id, n: 1, worker_id: 'wkr_bench' },
    { type: 'RenderProgressed', ...common, attempt_id, frames_done: 60, frames_total: 120 },
    { type: 'RenderingFinished', ...common, attempt_id, frames: 120, engine_ms: 1_000, frames_cached: 0 },
    { type: 'RenderCompleted', ...common, attempt_id, outputs: [master], poster: null },
  ];
};

const appendAll = async ({ records }: StackClients, events: readonly RenderEvent[]): Promise<void> => {
  for (let begin = 0; begin < events.length; begin += AT_ONCE) {
    const appended = await Promise.all(
      events.slice(begin, begin + AT_ONCE).map((event) => records.append('render-events', event.render_id, event)),
    );
    for (const one of appended) if (E.isLeft(one)) throw new Error(one.left.message);
  }
};

/**
 * Creates a project of the seeded team. Its renders are appended as events, and the projectors fold them.
 *
 * @param complete every n-th render is completed; the others remain requested
 */
export const fillProject = async (
  clients: StackClients,
  seeded: SeededEntities,
  count: number,
  complete: number,
): Promise<FilledProject> => {
  const { records, store } = clients;
  const by = { actor: actor('operator', 'bench'), clock: SYSTEM_CLOCK };
  const catalogue = { records, read_model: catalogueReadModel(store.db), ...by };
  const wanted = { team_id: seeded.team_id, name: `${count} renders`, created_by: null };
  const project = await createProject(catalogue, clients.blobs, wanted);
  if (E.isLeft(project)) throw new Error(`the project was refused: ${project.left.tag}`);
  const project_id = project.right.id;
  const ids = Array.from({ length: count }, () => `rend_${ulid()}`);
  await appendAll(
    clients,
    ids.map((id, n) => request(seeded, project_id, id, n)),
  );
  // Appends one event of each render at a time, because concurrent appends may reach the log in any order.
  const lives = ids.filter((_, n) => n % complete === 0).map(completionEvents);
  for (let n = 0; n < (lives[0]?.length ?? 0); n += 1) {
    await appendAll(
      clients,
      lives.flatMap((life) => life.slice(n, n + 1)),
    );
  }
  await waitUntilFolded(clients, FOLDED_WITHIN_MS + FOLDED_WITHIN_MS_PER_EVENT * (count + lives.flat().length));
  return { project_id, ids };
};
