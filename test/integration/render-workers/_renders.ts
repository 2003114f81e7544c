import { createHash } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';
import type { RenderEvent, RenderRequested } from '../../../domain/render/events.ts';
import type { Render } from '../../../domain/render/render.ts';
import { renderId } from '../../../domain/render/render-id.ts';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../platform/configuration/parts.ts';
import { renderCollections } from '../../../read-models/collections.ts';
import type { RenderDocument } from '../../../read-models/renders/documents.ts';
import type { StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { metaBy, requested } from '../../helpers/render-events.ts';

const meta = metaBy('operator:test');

const appendCatalogue = async ({ records }: StackClients, event: CatalogueEvent): Promise<void> => {
  const appended = await records.append('catalogue-events', 'catalogue', event);
  if (E.isLeft(appended)) throw new Error(appended.left.message);
};

export const blobsOf = (env: Readonly<Record<string, string>>): BlobStore => {
  const decoded = decodeConfiguration(env, { blobs: BLOB_STORE });
  if (E.isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  return openBlobStore(decoded.right.blobs);
};

export type ProjectParts = {
  readonly width?: number;
  readonly height?: number;
  /** Seconds. */
  readonly duration?: number | 'auto';
  readonly poster_time?: number;
  readonly layers: readonly unknown[];
  readonly assets?: readonly { readonly id: string; readonly kind: string; readonly sha256: string }[];
  readonly templates?: readonly unknown[];
};

const versionOf = (project_id: string, version: number, parts: ProjectParts): CatalogueEvent => {
  const { layers, width = 320, height = 180, duration = 1, poster_time = null, assets = [], templates = [] } = parts;
  const picture = { width, height, fps: 30, duration, poster_time, background: '#202020', layers };
  const decoded = decodeProjectDocument({
    name: 'of a test',
    main_composition_id: 'comp_main',
    compositions: [{ id: 'comp_main', ...picture }],
    assets: assets.map((asset) => ({ size_bytes: 1, content_type: 'image/png', file_name: 'file', ...asset })),
    templates,
    variants: [],
  });
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left));
  const document = canonicalJson(decoded.right);
  const document_sha256 = createHash('sha256').update(document).digest('hex');
  const added = {
    type: 'ProjectVersionAdded',
    rules: 0,
    meta,
    project_id,
    version,
    base_version: version - 1,
  } as const;
  return { ...added, name: 'Test', document, document_sha256, payload: null };
};

export const addVersion = async (
  clients: StackClients,
  project_id: string,
  version: number,
  parts: ProjectParts,
): Promise<void> => await appendCatalogue(clients, versionOf(project_id, version, parts));

export const addProject = async (clients: StackClients, parts: ProjectParts): Promise<string> => {
  const own = ulid();
  const [account_id, team_id, project_id] = [`acc_${own}`, `team_${own}`, `proj_${own}`];
  const events: readonly CatalogueEvent[] = [
    { type: 'AccountCreated', rules: 0, meta, account_id, name: 'Acme', unlimited_credits: true },
    { type: 'TeamCreated', rules: 0, meta, team_id, account_id, name: 'Studio' },
    { type: 'ProjectCreated', rules: 0, meta, project_id, team_id, name: 'Test', created_by: null, payload: null },
    versionOf(project_id, 1, parts),
  ];
  for (const event of events) await appendCatalogue(clients, event);
  return project_id;
};

export const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

export const appendEvent = async ({ records }: StackClients, event: RenderEvent): Promise<void> => {
  const headers = { traceparent: TRACEPARENT };
  const appended = await records.append('render-events', event.render_id, event, { headers });
  if (E.isLeft(appended)) throw new Error(appended.left.message);
};

export const requestRender = async (
  clients: StackClients,
  project_id: string,
  change: Partial<RenderRequested> = {},
): Promise<string> => {
  const render_id = renderId(ulid());
  const own = { render_id, project_id, project_version: 1, template_id: null, request: null };
  await appendEvent(clients, {
    ...requested({ ...own, account_id: project_id.replace('proj_', 'acc_'), ...change }),
    meta: { ...metaBy('key:key_1'), event_id: ulid() },
  });
  return render_id;
};

export const documentOf = async ({ store }: StackClients, render_id: string): Promise<RenderDocument | null> =>
  await store.db.collection<RenderDocument>(renderCollections(1).renders).findOne({ _id: render_id });

export const tracesOf = async (
  clients: StackClients,
  render_id: string,
): Promise<readonly (readonly [string, string | undefined])[]> => {
  const { partition = 0, facts = [] } = (await documentOf(clients, render_id)) ?? {};
  const accepted = facts.flatMap((stored) => (stored.verdict === 'accepted' ? [stored] : []));
  const read = await clients.records.log.read(
    accepted.map(({ offset }) => ({ topic: 'render-events', partition, offset })),
  );
  return accepted.map(({ fact }, i) => [fact.type, read[i]?.headers.traceparent]);
};

export const renderWhere = async (
  clients: StackClients,
  render_id: string,
  what: string,
  holds: (render: Render) => boolean,
  bound_ms = 60_000,
): Promise<Render> =>
  await pollUntil(
    `${render_id} ${what}`,
    async () => {
      const render = (await documentOf(clients, render_id))?.render ?? null;
      return render !== null && holds(render) ? render : null;
    },
    bound_ms,
  );

export const isOver = ({ status }: Render): boolean => status === 'complete' || status === 'failed';
