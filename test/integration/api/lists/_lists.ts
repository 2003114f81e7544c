import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { monotonicFactory } from 'ulid';
import { mintApiKey } from '../../../../domain/access/api-key.ts';
import type { CatalogueEvent } from '../../../../domain/catalogue/events.ts';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import type { RenderStatus } from '../../../../domain/render/render.ts';
import { renderId } from '../../../../domain/render/render-id.ts';
import { sha256Hex } from '../../../../platform/access/sha256.ts';
import { renderCollections } from '../../../../read-models/collections.ts';
import { generationPointer } from '../../../../read-models/generations.ts';
import type { RenderDocument } from '../../../../read-models/renders/documents.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import {
  assigned,
  completed,
  failed,
  finished,
  metaBy,
  prepared,
  progressed,
  requested,
} from '../../../helpers/render-events.ts';
import type { Answer } from '../_client.ts';
import { get, type World } from '../_world.ts';

const meta = metaBy('operator:test');

export const appendCatalogue = async ({ clients }: World, events: readonly CatalogueEvent[]): Promise<void> => {
  for (const event of events) {
    const appended = await clients.records.append('catalogue-events', 'catalogue', event);
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

export const projectCreated = (project_id: string, name: string, team_id = 'team_1'): CatalogueEvent => ({
  type: 'ProjectCreated',
  rules: 0,
  meta,
  project_id,
  team_id,
  name,
  created_by: 'user_1',
  payload: null,
});

export const teamCreated = (team_id: string): CatalogueEvent => ({
  type: 'TeamCreated',
  rules: 0,
  meta,
  team_id,
  account_id: 'acc_1',
  name: `Team ${team_id}`,
});

export const keyFor = (key_id: string, team_ids: readonly string[]): { key: string; event: CatalogueEvent } => {
  const minted = mintApiKey(randomBytes(32), sha256Hex);
  if (minted === null) throw new Error('32 bytes make a key');
  const { key, ...traits } = minted;
  const rest = {
    account_id: 'acc_1',
    user_id: null,
    team_ids: [...team_ids],
    name: key_id,
    expires_at: null,
    scopes: null,
  };
  return { key, event: { type: 'ApiKeyIssued', rules: 0, meta, key_id, ...rest, ...traits } };
};

export type Made = { readonly id: string; readonly name: string; readonly status: RenderStatus };

const eventsUpTo = (status: RenderStatus): readonly RenderEvent[] => {
  const life = [prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];
  const reached = ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'].indexOf(status);
  return status === 'failed' ? [failed('preparer:p', null)] : life.slice(0, reached);
};

/** Renders with the same time are listed by their ids, so ids are monotonic. */
const nextUlid = monotonicFactory();

export const make = async (
  { clients }: World,
  project_id: string,
  name: string,
  status: RenderStatus = 'initializing',
  template_id: string | null = 'tpl_1',
): Promise<Made> => {
  const id = renderId(nextUlid());
  const events = [requested({ project_id, name, created_by: 'user_1', template_id }), ...eventsUpTo(status)];
  // Appends one after the other: later records would overtake one whose schema is looked up for the first time.
  for (const event of events) {
    const appended = await clients.records.append('render-events', id, { ...event, render_id: id });
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
  return { id, name, status };
};

export const folded = async ({ clients }: World, made: readonly Made[]): Promise<void> => {
  const { db } = clients.store;
  const statuses = new Map(made.map(({ id, status }) => [id, status]));
  await pollUntil(
    `${made.length} renders are folded`,
    async () => {
      const generation = await generationPointer(db, 'renders')();
      const renders = db.collection<RenderDocument>(renderCollections(generation).renders);
      const found = renders.find({ _id: { $in: [...statuses.keys()] } }, { projection: { status: 1 } });
      const done = (await found.toArray()).filter(({ _id, status }) => status === statuses.get(_id));
      return done.length === statuses.size;
    },
    90_000,
  );
};

export const shown = async (world: World, { id }: Made) => {
  const { status, body, text } = await get(world, `renders/${id}`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return Object(body);
};

type Shown = Awaited<ReturnType<typeof shown>>;

export const newestFirst = (renders: readonly Shown[]): readonly Shown[] =>
  renders.toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));

export const idsOf = (elements: readonly { readonly id: string }[]): readonly string[] => elements.map(({ id }) => id);

/** Removes the signatures, which are new in every answer. */
export const unsigned = (element: Shown): Shown => ({
  ...element,
  ...(element.output === undefined
    ? {}
    : {
        output: Object.fromEntries(
          Object.entries(element.output).map(([variant, url]) => [variant, String(url).split('?')[0]]),
        ),
      }),
});

const pathOf = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query)}`;

export const list = (
  world: World,
  path: string,
  query: Readonly<Record<string, string>>,
  key = world.keys.ours,
): Promise<Answer> => get(world, pathOf(path, query), key);

const PAGE_FIELDS = 'data,has_more,next_cursor';

/** One page; throws if the envelope is not `{data, has_more, next_cursor}`. */
export const page = async (
  world: World,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<{ readonly data: readonly Shown[]; readonly next_cursor: string | null }> => {
  const { status, body, text } = await list(world, path, query);
  const { data, has_more, next_cursor } = Object(body);
  const sound = status === 200 && Array.isArray(data) && Object.keys(Object(body)).join() === PAGE_FIELDS;
  if (!sound || has_more !== (next_cursor !== null)) throw new Error(`not a page: ${status} ${text.slice(0, 500)}`);
  return { data, next_cursor };
};

export const pages = async (
  world: World,
  path: string,
  query: Readonly<Record<string, string>>,
  cursor: string | null = null,
): Promise<readonly (readonly Shown[])[]> => {
  const { data, next_cursor } = await page(world, path, { ...query, ...(cursor === null ? {} : { cursor }) });
  return next_cursor === null ? [data] : [data, ...(await pages(world, path, query, next_cursor))];
};
