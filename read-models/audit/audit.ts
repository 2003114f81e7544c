import type { Collection, Db } from 'mongodb';
import { type AuditKind, isCatalogueAuditKind } from '../../domain/audit/kinds.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { servingCatalogue } from '../catalogue/model.ts';
import { listReaderForServer } from '../embedded/lists-for-server.ts';
import { AUDIT_SINCE, type ReadModel, type ServingGeneration } from '../generations.ts';
import { partInPeriod } from '../list-part.ts';
import { type ListTier, type ReadListTier, readByQuery, type TierElement, tierByListToken } from '../lists.ts';
import { listPosition } from '../position.ts';
import type { RenderDocument } from '../renders/documents.ts';
import { servingRenders } from '../renders/model.ts';
import { entryOfDocument } from './codec.ts';
import type { AuditDocument, AuditEntry } from './documents.ts';
import { type AuditScope, entriesListToken, requestsListToken } from './tokens.ts';

export type AuditQuery = {
  readonly scope: AuditScope;
  /** The actor as in the log, like `user:user_…` or `key:key_…`; null for all. */
  readonly actor: string | null;
  /**
   * Null for all kinds. Then `with_requests` decides whether requests of renders are included, which may be hundreds of
   * thousands.
   */
  readonly kind: AuditKind | null;
  readonly with_requests: boolean;
  /** At or after `since`, and before `until`, ms since the epoch; null without a limit. */
  readonly since: number | null;
  readonly until: number | null;
};

export type AuditPage = {
  readonly entries: readonly AuditEntry[];
  /** The position after which the next page begins; null at the end. The caller signs it as a cursor. */
  readonly next: string | null;
};

/** Audit entries, newest first. All functions reject on timeout or store outage. */
export type Audit = {
  readonly isFolded: () => Promise<boolean>;
  readonly placed: (
    query: AuditQuery,
    after: string | null,
    count: number,
  ) => Promise<readonly { readonly position: string; readonly element: AuditEntry }[]>;
  /** @param after null for the newest entries */
  readonly page: (query: AuditQuery, after: string | null, limit: number) => Promise<AuditPage>;
  readonly stream: (query: AuditQuery) => AsyncIterable<AuditEntry>;
  /** The entry of a folded record of `catalogue-events`. Null without one, or while the audit is being rebuilt. */
  readonly ofCatalogue: (offset: number) => Promise<AuditEntry | null>;
};

/** A query by kind and actor reads all entries of the actor. The timeout protects other requests. */
const READ_TIMEOUT_MS = 10_000;
const STREAMED_AT_ONCE = 500;

const ENTRY = { lists: 0 };
const REQUEST = { render: 1, facts: 1, partition: 1 };

const requestIn = ({ render, facts, partition }: Pick<RenderDocument, 'render' | 'facts' | 'partition'>) => {
  for (const stored of facts) {
    if (render === null || stored.verdict !== 'accepted' || stored.fact.type !== 'RenderRequested') continue;
    const { account_id, team_id, project_id } = render;
    const { actor, event_id } = stored.fact.meta;
    const entry: AuditEntry = {
      ...{ topic: 'render-events', partition, offset: stored.offset, at: stored.appended_at, kind: 'RenderRequested' },
      ...{ actor, event_id, account_id, team_ids: [team_id], refused: null },
      ids: { render_id: render.id, project_id },
      details: {},
    };
    return { position: listPosition(render.created_at, render.id), element: entry };
  }
  return null;
};

type Found = TierElement<AuditEntry>;

type Source = readonly [ListTier, ReadListTier<AuditEntry>];

export const openAudit = (db: Db): Audit => {
  const catalogue = servingCatalogue(db);
  const renders = servingRenders(db);
  const forServer = { catalogue: listReaderForServer(db, 'catalogue'), renders: listReaderForServer(db, 'renders') };

  const entriesIn = async (
    read_model: ReadModel,
    { scope, actor, kind }: AuditQuery,
    model: ServingGeneration & { readonly audit: Collection<AuditDocument> },
  ): Promise<Source> => {
    const plain = readByQuery<AuditEntry>(async (pipeline, time) => {
      const found = await model.audit.aggregate<Omit<AuditDocument, 'lists'>>(pipeline, time).toArray();
      return found.map((document) => ({ position: document.position, element: entryOfDocument(document) }));
    });
    const own = actor !== null && kind !== null ? { kind } : {};
    const tier = tierByListToken('lists', entriesListToken(scope, kind, actor), own, ENTRY);
    return [tier, await forServer[read_model](model, model.audit, plain)];
  };

  const requestsIn = async (
    { scope, actor }: AuditQuery,
    model: ServingGeneration & { readonly renders: Collection<RenderDocument> },
  ): Promise<Source> => {
    const plain = readByQuery<AuditEntry>(async (pipeline, time) => {
      const found = await model.renders.aggregate<RenderDocument>(pipeline, time).toArray();
      return found.flatMap((document) => requestIn(document) ?? []);
    });
    const tier = tierByListToken('search', requestsListToken(scope, actor), {}, REQUEST);
    return [tier, await forServer.renders(model, model.renders, plain)];
  };

  /** A generation without an audit has no lists. */
  const sourcesOf = async (query: AuditQuery): Promise<readonly Source[]> => {
    const { kind, with_requests } = query;
    const [of_catalogue, of_renders] = await Promise.all([catalogue(), renders()]);
    const has_entries = (of: 'catalogue' | 'renders') =>
      kind === null || (kind !== 'RenderRequested' && isCatalogueAuditKind(kind) === (of === 'catalogue'));
    const has_requests = kind === null ? with_requests : kind === 'RenderRequested';
    return await Promise.all([
      ...(of_catalogue.model_version >= AUDIT_SINCE && has_entries('catalogue')
        ? [entriesIn('catalogue', query, of_catalogue)]
        : []),
      ...(of_renders.model_version >= AUDIT_SINCE && has_entries('renders')
        ? [entriesIn('renders', query, of_renders)]
        : []),
      ...(of_renders.model_version >= AUDIT_SINCE && has_requests ? [requestsIn(query, of_renders)] : []),
    ]);
  };

  const placed: Audit['placed'] = async (query, after, count) => {
    const part = partInPeriod(query, 'desc', after);
    const time = queryTimeout(READ_TIMEOUT_MS);
    if (part.after !== null && part.until !== null && part.after <= part.until) return [];
    const found = await Promise.all(
      (await sourcesOf(query)).map(([tier, readTier]) => readTier(tier, part, count, time)),
    );
    const newest = found.flat<readonly (readonly Found[])[]>().toSorted((a, b) => (a.position < b.position ? 1 : -1));
    return newest.slice(0, count);
  };

  const page: Audit['page'] = async (query, after, limit) => {
    const newest = await placed(query, after, limit + 1);
    const entries = newest.slice(0, limit);
    return {
      entries: entries.map(({ element }) => element),
      next: newest.length > limit ? (entries.at(-1)?.position ?? null) : null,
    };
  };

  return {
    isFolded: async () => {
      const [of_catalogue, of_renders] = await Promise.all([catalogue(), renders()]);
      return Math.min(of_catalogue.model_version, of_renders.model_version) >= AUDIT_SINCE;
    },
    placed,
    page,
    ofCatalogue: async (offset) => {
      const model = await catalogue();
      if (model.model_version < AUDIT_SINCE) return null;
      const _id = `catalogue-events/0/${offset}`;
      const found = await model.audit.findOne({ _id }, queryTimeout());
      return found === null ? null : entryOfDocument(found);
    },
    stream: async function* (query) {
      for (let after: string | null = null; ; ) {
        const { entries, next }: AuditPage = await page(query, after, STREAMED_AT_ONCE);
        yield* entries;
        if (next === null) return;
        after = next;
      }
    },
  };
};
