import type { Collection, Db, Filter } from 'mongodb';
import { type Entity, type EntityKind, type EntityOf, type EntityRef, isOfKind } from '../domain/catalogue/entities.ts';
import { generationPointer, servingGeneration } from '../platform/read-store/generation-pointer.ts';
import { inTime } from '../platform/read-store/in-time.ts';
import {
  type CatalogueDocument,
  type CatalogueIgnoredDocument,
  type ProjectDocumentRow,
  projectOf,
} from '../schemas/read-models/catalogue-document.ts';
import { COLLECTIONS, catalogueCollections, renderCollections } from '../schemas/read-models/collections.ts';
import type { KeyLastUsedDocument } from '../schemas/read-models/key-last-used-document.ts';
import type { CheckpointDocument, LedgerDocument } from '../schemas/read-models/render-document.ts';
import type { WebhookHealthDocument } from '../schemas/read-models/webhook-documents.ts';
import type { CatalogueReadModel } from './read-model.ts';

type EntityDocument = CatalogueDocument<Exclude<Entity, EntityOf<'project'>>> | ProjectDocumentRow;

const entityOfDocument = (document: EntityDocument): Entity => {
  if (document.kind === 'project') return projectOf(document);
  const { _id: id, offset: _offset, ...rest } = document;
  return { id, ...rest };
};

/** The catalogue has one partition. */
const PARTITION = 0;

const LIST_TIMEOUT_MS = 30_000;

/** The version of the render read model that has a ledger first. */
const LEDGER_SINCE = 2;

/** The one place where the catalogue names collections. */
export const mongodbReadModel = (db: Db): CatalogueReadModel => {
  // Asked for anew each time: a rebuilt generation may take over meanwhile.
  const serving = (): Promise<number> => generationPointer(db, 'catalogue')();

  const collection = (generation: number, kind: EntityKind): Collection<EntityDocument> =>
    db.collection(catalogueCollections(generation).entities[kind]);

  const isFolded = async (generation: number, end: number): Promise<boolean> => {
    const checkpoints = db.collection<CheckpointDocument>(catalogueCollections(generation).checkpoints);
    return ((await checkpoints.findOne({ _id: PARTITION }, inTime()))?.next ?? 0) >= end;
  };

  /** An answer of the generation that serves, also at its end: the checkpoints of a former one are closed. */
  const ofOneGeneration = async <A>(ask: (generation: number) => Promise<A>): Promise<A> => {
    for (;;) {
      const generation = await serving();
      const answer = await ask(generation);
      if ((await serving()) === generation) return answer;
    }
  };

  const load = async (generation: number, refs: readonly EntityRef[]): Promise<readonly Entity[]> => {
    const found = await Promise.all(
      refs.map(({ kind, id }) => collection(generation, kind).findOne({ _id: id }, inTime())),
    );
    return found.flatMap((document) => (document === null ? [] : [entityOfDocument(document)]));
  };

  const all = async <K extends EntityKind>(
    kind: K,
    filter: Filter<EntityDocument> = {},
  ): Promise<readonly EntityOf<K>[]> => {
    const documents = await collection(await serving(), kind)
      .find(filter, inTime(LIST_TIMEOUT_MS))
      .toArray();
    return documents.map(entityOfDocument).filter(isOfKind(kind));
  };

  return {
    entitiesAt: (end, refs) =>
      ofOneGeneration(async (generation) => ((await isFolded(generation, end)) ? await load(generation, refs) : null)),
    outcomeOf: (offset) =>
      ofOneGeneration(async (generation) => {
        if (!(await isFolded(generation, offset + 1))) return null;
        const ignored = db.collection<CatalogueIgnoredDocument>(catalogueCollections(generation).ignored);
        const found = await ignored.findOne({ _id: offset }, inTime());
        return found === null ? { tag: 'accepted' } : { tag: 'ignored', reason: found.reason };
      }),
    find: async (kind, id) => (await load(await serving(), [{ kind, id }])).find(isOfKind(kind)) ?? null,
    accounts: () => all('account'),
    grantsOf: (account_id) => all('credit_grant', { account_id }),
    teams: (account_id) => all('team', account_id === null ? {} : { account_id }),
    users: () => all('user'),
    membersOf: (team_id) => all('membership', { team_id, removed: false }),
    membershipsOf: (user_id) => all('membership', { user_id, removed: false }),
    keys: (account_id) => all('api_key', account_id === null ? {} : { account_id }),
    lastUses: async (key_ids) => {
      const uses = db.collection<KeyLastUsedDocument>(COLLECTIONS.key_last_used);
      const found = await uses.find({ _id: { $in: [...key_ids] } }, inTime(LIST_TIMEOUT_MS)).toArray();
      return new Map(found.map(({ _id, at }) => [_id, at.getTime()]));
    },
    projects: (team_id) => all('project', team_id === null ? {} : { team_id }),
    versions: async function* (ids) {
      for await (const document of collection(await serving(), 'project_version').find({ _id: { $in: [...ids] } })) {
        const version = entityOfDocument(document);
        if (isOfKind('project_version')(version)) yield version;
      }
    },
    endpoints: (team_id) => all('webhook_endpoint', team_id === null ? {} : { team_id }),
    failing: async (endpoint_id) => {
      const health = db.collection<WebhookHealthDocument>(COLLECTIONS.webhook_endpoint_health);
      const found = await health.findOne({ _id: endpoint_id }, inTime());
      return found === null ? null : { since: found.failing_since, exhausted: found.exhausted };
    },
    ledgerOf: async (account_id) => {
      const { generation, model_version } = await servingGeneration(db, 'renders')();
      if (model_version < LEDGER_SINCE) return null;
      const ledger = db.collection<LedgerDocument>(renderCollections(generation).ledger);
      return await ledger.find({ account_id }, inTime(LIST_TIMEOUT_MS)).toArray();
    },
  };
};
