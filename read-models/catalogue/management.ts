import type { Collection, Filter } from 'mongodb';
import {
  type Entity,
  type EntityKind,
  type EntityOf,
  type EntityRef,
  isOfKind,
} from '../../domain/catalogue/entities.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { CheckpointDocument } from '../checkpoint.ts';
import { COLLECTIONS, catalogueCollections, renderCollections } from '../collections.ts';
import type { WebhookHealthDocument } from '../deliveries/documents.ts';
import { generationPointer, servingGeneration } from '../generations.ts';
import type { LedgerDocument } from '../renders/documents.ts';
import { entityOfDocument } from './codec.ts';
import type { CatalogueIgnoredDocument, EntityDocument, KeyLastUsedDocument } from './documents.ts';

/** What became of the event at an offset, as soon as the read model has folded it. */
export type Outcome = { readonly tag: 'accepted' } | { readonly tag: 'ignored'; readonly reason: string };

/** Deliveries to an endpoint that were given up since the last one that arrived. `since`: ms since the epoch. */
export type Failing = { readonly since: number; readonly exhausted: number };

/**
 * What the catalogue asks its read model, and what else is known of its entities. Every question is answered by the
 * generation that serves. Rejects where the store does not answer (`isAway`).
 */
export type CatalogueReadModel = {
  /** These entities, as far as they exist, as the log up to `end` or more of it has them; null until it is folded. */
  readonly entitiesAt: (end: number, refs: readonly EntityRef[]) => Promise<readonly Entity[] | null>;
  /** Null until the event at the offset is folded. */
  readonly outcomeOf: (offset: number) => Promise<Outcome | null>;
  readonly find: <K extends EntityKind>(kind: K, id: string) => Promise<EntityOf<K> | null>;
  readonly accounts: () => Promise<readonly EntityOf<'account'>[]>;
  readonly grantsOf: (account_id: string) => Promise<readonly EntityOf<'credit_grant'>[]>;
  /** @param account_id null for those of all accounts */
  readonly teams: (account_id: string | null) => Promise<readonly EntityOf<'team'>[]>;
  readonly users: () => Promise<readonly EntityOf<'user'>[]>;
  /** Those who are members now. */
  readonly membersOf: (team_id: string) => Promise<readonly EntityOf<'membership'>[]>;
  readonly membershipsOf: (user_id: string) => Promise<readonly EntityOf<'membership'>[]>;
  /** @param account_id null for those of all accounts */
  readonly keys: (account_id: string | null) => Promise<readonly EntityOf<'api_key'>[]>;
  /** When keys were last used, ms since the epoch; those that were not, or within the last minute only, are left out. */
  readonly lastUses: (key_ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** @param team_id null for those of all teams */
  readonly projects: (team_id: string | null) => Promise<readonly EntityOf<'project'>[]>;
  /** One after the other, as each may hold a document of 1 MiB; in no order. */
  readonly versions: (ids: readonly string[]) => AsyncIterable<EntityOf<'project_version'>>;
  /** Deleted ones, too. @param team_id null for those of all teams */
  readonly endpoints: (team_id: string | null) => Promise<readonly EntityOf<'webhook_endpoint'>[]>;
  readonly failing: (endpoint_id: string) => Promise<Failing | null>;
  /** What the renders of an account hold and have cost; null while that is being made from the log. */
  readonly ledgerOf: (account_id: string) => Promise<readonly LedgerDocument[] | null>;
};

/** The catalogue has one partition. */
const PARTITION = 0;

const LIST_TIMEOUT_MS = 30_000;

/** The version of the render read model that has a ledger first. */
const LEDGER_SINCE = 2;

/** Reads the collections of the generation that serves. */
export const catalogueReadModel = (db: ReadStore['db']): CatalogueReadModel => {
  // Asked for anew each time: a rebuilt generation may take over meanwhile.
  const serving = (): Promise<number> => generationPointer(db, 'catalogue')();

  const collection = (generation: number, kind: EntityKind): Collection<EntityDocument> =>
    db.collection(catalogueCollections(generation).entities[kind]);

  const isFolded = async (generation: number, end: number): Promise<boolean> => {
    const checkpoints = db.collection<CheckpointDocument>(catalogueCollections(generation).checkpoints);
    return ((await checkpoints.findOne({ _id: PARTITION }, queryTimeout()))?.next ?? 0) >= end;
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
      refs.map(({ kind, id }) => collection(generation, kind).findOne({ _id: id }, queryTimeout())),
    );
    return found.flatMap((document) => (document === null ? [] : [entityOfDocument(document)]));
  };

  const all = async <K extends EntityKind>(
    kind: K,
    filter: Filter<EntityDocument> = {},
  ): Promise<readonly EntityOf<K>[]> => {
    const documents = await collection(await serving(), kind)
      .find(filter, queryTimeout(LIST_TIMEOUT_MS))
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
        const found = await ignored.findOne({ _id: offset }, queryTimeout());
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
      const found = await uses.find({ _id: { $in: [...key_ids] } }, queryTimeout(LIST_TIMEOUT_MS)).toArray();
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
      const found = await health.findOne({ _id: endpoint_id }, queryTimeout());
      return found === null ? null : { since: found.failing_since, exhausted: found.exhausted };
    },
    ledgerOf: async (account_id) => {
      const { generation, model_version } = await servingGeneration(db, 'renders')();
      if (model_version < LEDGER_SINCE) return null;
      const ledger = db.collection<LedgerDocument>(renderCollections(generation).ledger);
      return await ledger.find({ account_id }, queryTimeout(LIST_TIMEOUT_MS)).toArray();
    },
  };
};
