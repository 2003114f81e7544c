import type { Filter } from 'mongodb';
import {
  type Entity,
  type EntityKind,
  type EntityOf,
  type EntityRef,
  hasName,
  isOfKind,
  type NamedProject,
} from '../../domain/catalogue/entities.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { COLLECTIONS } from '../collections.ts';
import type { WebhookHealthDocument } from '../deliveries/documents.ts';
import { readServingPointer } from '../generations.ts';
import { LEDGER_SINCE } from '../renders/account-renders.ts';
import { type Charges, openCharges } from '../renders/charges.ts';
import type { LedgerDocument } from '../renders/documents.ts';
import { servingRenders } from '../renders/model.ts';
import { entityOf, entityOfDocument } from './codec.ts';
import type { EntityDocument, KeyLastUsedDocument } from './documents.ts';
import { type CatalogueCollections, newestRulesVersion, type ServingCatalogue, servingCatalogue } from './model.ts';
import { pendingVersions } from './pending-versions.ts';

/** The result of the event at an offset, when the read model has folded it. */
export type EventOutcome = { readonly tag: 'accepted' } | { readonly tag: 'ignored'; readonly reason: string };

/** Deliveries to an endpoint that were exhausted since the last success. `since`: ms since the epoch. */
export type FailingDeliveries = { readonly since: number; readonly exhausted: number };

/** A grant, and its place in the log. */
export type GrantWithOffset = EntityOf<'credit_grant'> & { readonly offset: number };

/** Projects have queries of their own, because some are not shown. */
export type NonProjectKind = Exclude<EntityKind, 'project'>;

/**
 * Queries of the management API and `renderctl` about the catalogue and related data. The serving generation answers
 * all. Rejects when the store does not answer (`isStoreUnavailable`).
 */
export type CatalogueReadModel = {
  /**
   * The existing entities among `refs`, all at one moment, in a read model that has folded the log up to `end`. Null
   * before that, or if the read model changed during the read: the caller must ask again.
   */
  readonly entitiesAt: (end: number, refs: readonly EntityRef[]) => Promise<readonly Entity[] | null>;
  /** The newest rules by which the serving generation can judge an event (ADR 68). The number never decreases. */
  readonly newestRules: () => Promise<number>;
  /**
   * Null until the event at the offset is folded and every process reads a generation that includes it. After a cutover
   * to another generation, that takes a moment longer.
   */
  readonly outcomeOf: (offset: number) => Promise<EventOutcome | null>;
  readonly find: <K extends NonProjectKind>(kind: K, id: string) => Promise<EntityOf<K> | null>;
  /** Null if the project is unknown or not shown. */
  readonly project: (id: string) => Promise<NamedProject | null>;
  /** Versions whose documents are pending; 0 for the name that the project was created with. */
  readonly pendingVersions: (project_id: string) => Promise<readonly number[]>;
  /** The team of a project with a pending text; null for all others. */
  readonly pendingIn: (project_id: string) => Promise<string | null>;
  /** The entities that exist among these ids, in no order. */
  readonly entities: <K extends NonProjectKind>(kind: K, ids: readonly string[]) => Promise<readonly EntityOf<K>[]>;
  /** Names by project id. Erased projects, and projects whose text is pending, are missing. */
  readonly projectNames: (project_ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly accounts: () => Promise<readonly EntityOf<'account'>[]>;
  readonly grantsOf: (account_id: string) => Promise<readonly GrantWithOffset[]>;
  /** Credits that the renders of an account were charged. */
  readonly charges: Charges;
  /**
   * @param account_id null for all accounts
   */
  readonly teams: (account_id: string | null) => Promise<readonly EntityOf<'team'>[]>;
  readonly users: () => Promise<readonly EntityOf<'user'>[]>;
  /** Current members. */
  readonly membersOf: (team_id: string) => Promise<readonly EntityOf<'membership'>[]>;
  readonly membershipsOf: (user_id: string) => Promise<readonly EntityOf<'membership'>[]>;
  /** For many users, in no order. */
  readonly membershipsOfAll: (user_ids: readonly string[]) => Promise<readonly EntityOf<'membership'>[]>;
  /**
   * @param account_id null for all accounts
   */
  readonly keys: (account_id: string | null) => Promise<readonly EntityOf<'api_key'>[]>;
  /**
   * Keys that reach a team, newest first; at most the newest 2,000.
   *
   * @param in_force_at ms since the epoch: only keys that are valid then; null for all, including ended ones
   */
  readonly keysOfTeam: (team_id: string, in_force_at: number | null) => Promise<readonly EntityOf<'api_key'>[]>;
  /** Keys of a user that are valid at a time, ms since the epoch, of any team and age. */
  readonly keysOfUser: (user_id: string, at: number) => Promise<readonly EntityOf<'api_key'>[]>;
  /**
   * When keys were last used, ms since the epoch. Keys that were never used, or first used less than a minute ago, are
   * missing.
   */
  readonly lastUses: (key_ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /**
   * @param team_id null for all teams
   */
  readonly projects: (team_id: string | null) => Promise<readonly NamedProject[]>;
  /** Ids of all projects of a team, including erased ones and those that are not shown. */
  readonly projectIds: (team_id: string) => Promise<readonly string[]>;
  /** Ids of a team's projects that are not erased; at most `most`. */
  readonly unerasedProjectIds: (team_id: string, most: number) => Promise<readonly string[]>;
  /** Read one after the other, because each may hold a document of 1 MiB; in no order. */
  readonly versions: (ids: readonly string[]) => AsyncIterable<EntityOf<'project_version'>>;
  /**
   * Including deleted ones.
   *
   * @param team_id null for all teams
   */
  readonly endpoints: (team_id: string | null) => Promise<readonly EntityOf<'webhook_endpoint'>[]>;
  /** Current owners. */
  readonly ownersOf: (account_id: string) => Promise<readonly EntityOf<'account_member'>[]>;
  /** The accounts that a user owns now. */
  readonly ownershipsOf: (user_id: string) => Promise<readonly EntityOf<'account_member'>[]>;
  /** For many users, in no order. */
  readonly ownershipsOfAll: (user_ids: readonly string[]) => Promise<readonly EntityOf<'account_member'>[]>;
  /** Neither accepted nor revoked; some may have expired. */
  readonly openInvitations: (account_id: string) => Promise<readonly EntityOf<'invitation'>[]>;
  readonly failing: (endpoint_id: string) => Promise<FailingDeliveries | null>;
  /** The failing ones of these endpoints, in one query. */
  readonly failingOf: (endpoint_ids: readonly string[]) => Promise<ReadonlyMap<string, FailingDeliveries>>;
  /** Credits that the renders of an account reserve and were charged; null while they are being folded. */
  readonly ledgerOf: (account_id: string) => Promise<readonly LedgerDocument[] | null>;
};

/** The catalogue has one partition. */
const PARTITION = 0;

const LIST_TIMEOUT_MS = 30_000;

/**
 * For this long after a cutover, some processes may read the former generation. They cache the pointer for a second,
 * and the clock of the process that moved it may differ.
 */
const READERS_FOLLOW_WITHIN_MS = 2_000;

const MAX_KEYS = 2_000;

/** Neither revoked nor expired. */
const inForce = (at: number) => ({ revoked_at: null, $or: [{ expires_at: null }, { expires_at: { $gt: at } }] });

const foldedUntil = async ({ checkpoints }: CatalogueCollections): Promise<number> =>
  (await checkpoints.findOne({ _id: PARTITION }, queryTimeout()))?.next ?? 0;

const load = async ({ entities }: CatalogueCollections, refs: readonly EntityRef[]): Promise<readonly Entity[]> => {
  const found = await Promise.all(refs.map(({ kind, id }) => entities(kind).findOne({ _id: id }, queryTimeout())));
  return found.flatMap((document) => (document === null ? [] : [entityOfDocument(document)]));
};

type OutcomeQueries = Pick<CatalogueReadModel, 'entitiesAt' | 'newestRules' | 'outcomeOf'>;

/** The queries that a command makes before and after its append. */
const outcomeQueries = (db: ReadStore['db'], serving: ServingCatalogue): OutcomeQueries => {
  /**
   * An answer of a generation that serves before and after the read. Otherwise the positions are wrong, because the
   * checkpoints of a former generation are closed.
   */
  const ofOneGeneration = async <A>(ask: (model: CatalogueCollections) => Promise<A>): Promise<A> => {
    for (;;) {
      const model = await serving();
      const answer = await ask(model);
      if ((await serving()).generation === model.generation) return answer;
    }
  };

  /** Some processes may still read the former generation, which no longer changes. */
  const isJustReplaced = async (): Promise<boolean> => {
    const took_over_at = (await readServingPointer(db, 'catalogue'))?.took_over_at ?? null;
    return took_over_at !== null && Math.abs(SYSTEM_CLOCK.now() - took_over_at) < READERS_FOLLOW_WITHIN_MS;
  };

  return {
    entitiesAt: (end, refs) =>
      ofOneGeneration(async (model) => {
        const next = await foldedUntil(model);
        if (next < end) return null;
        const found = await load(model, refs);
        // One transaction writes entities and checkpoint, so an unchanged checkpoint means unchanged entities.
        return (await foldedUntil(model)) === next ? found : null;
      }),
    newestRules: async () => newestRulesVersion((await serving()).model_version),
    outcomeOf: (offset) =>
      ofOneGeneration(async (model) => {
        if ((await foldedUntil(model)) <= offset || (await isJustReplaced())) return null;
        const found = await model.ignored.findOne({ _id: offset }, queryTimeout());
        return found === null ? { tag: 'accepted' } : { tag: 'ignored', reason: found.reason };
      }),
  };
};

const failingEndpoints =
  (db: ReadStore['db']): CatalogueReadModel['failingOf'] =>
  async (endpoint_ids) => {
    const health = db.collection<WebhookHealthDocument>(COLLECTIONS.webhook_endpoint_health);
    const found = await health.find({ _id: { $in: [...endpoint_ids] } }, queryTimeout()).toArray();
    return new Map(found.map(({ _id, failing_since: since, exhausted }) => [_id, { since, exhausted }]));
  };

/** Reads the collections of the serving generation. */
export const catalogueReadModel = (db: ReadStore['db']): CatalogueReadModel => {
  // Read again for each query, because a rebuilt generation may replace it.
  const serving: ServingCatalogue = () => servingCatalogue(db)();

  const all = async <K extends EntityKind>(
    kind: K,
    filter: Filter<EntityDocument> = {},
  ): Promise<readonly EntityOf<K>[]> => {
    const { entities } = await serving();
    const documents = await entities<EntityKind>(kind).find(filter, queryTimeout(LIST_TIMEOUT_MS)).toArray();
    return documents.map(entityOfDocument).filter(isOfKind(kind));
  };

  const failingOf = failingEndpoints(db);

  return {
    ...outcomeQueries(db, serving),
    find: async (kind, id) => (await load(await serving(), [{ kind, id }])).find(isOfKind(kind)) ?? null,
    project: async (id) => {
      const found = (await load(await serving(), [{ kind: 'project', id }])).find(isOfKind('project'));
      return found !== undefined && hasName(found) ? found : null;
    },
    pendingVersions: async (project_id) => await pendingVersions(await serving(), project_id),
    pendingIn: async (project_id) => {
      const model = await serving();
      if ((await pendingVersions(model, project_id)).length === 0) return null;
      return (await model.entities('project').findOne({ _id: project_id }, queryTimeout()))?.team_id ?? null;
    },
    entities: (kind, ids) => (ids.length === 0 ? Promise.resolve([]) : all(kind, { _id: { $in: [...ids] } })),
    projectNames: async (ids) => {
      const projects = ids.length === 0 ? [] : await all('project', { _id: { $in: [...new Set(ids)] } });
      return new Map(projects.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])));
    },
    accounts: () => all('account'),
    grantsOf: async (account_id) => {
      const { entities } = await serving();
      const found = await entities('credit_grant').find({ account_id }, queryTimeout(LIST_TIMEOUT_MS)).toArray();
      return found.map(({ _id: id, ...grant }) => ({ id, ...grant }));
    },
    charges: openCharges(() => servingRenders(db)()),
    teams: (account_id) => all('team', account_id === null ? {} : { account_id }),
    users: () => all('user'),
    membersOf: (team_id) => all('membership', { team_id, removed: false }),
    membershipsOf: (user_id) => all('membership', { user_id, removed: false }),
    membershipsOfAll: (ids) => all('membership', { user_id: { $in: [...ids] }, removed: false }),
    keys: (account_id) => all('api_key', account_id === null ? {} : { account_id }),
    keysOfTeam: async (team_id, in_force_at) => {
      const keys = (await serving()).entities('api_key');
      const filter = { team_ids: team_id, ...(in_force_at !== null && inForce(in_force_at)) };
      const newest = keys.find(filter, queryTimeout()).sort({ created_at: -1, _id: -1 });
      return (await newest.limit(MAX_KEYS).toArray()).map(entityOf);
    },
    keysOfUser: (user_id, at) => all('api_key', { user_id, ...inForce(at) }),
    lastUses: async (key_ids) => {
      const uses = db.collection<KeyLastUsedDocument>(COLLECTIONS.key_last_used);
      const found = await uses.find({ _id: { $in: [...key_ids] } }, queryTimeout(LIST_TIMEOUT_MS)).toArray();
      return new Map(found.map(({ _id, at }) => [_id, at.getTime()]));
    },
    projects: async (team_id) => (await all('project', team_id === null ? {} : { team_id })).filter(hasName),
    projectIds: async (team_id) => {
      const projects = (await serving()).entities('project');
      const ids = projects.find({ team_id }, { projection: { _id: 1 }, ...queryTimeout(LIST_TIMEOUT_MS) });
      return (await ids.toArray()).map(({ _id }) => _id);
    },
    unerasedProjectIds: async (team_id, most) => {
      const projects = (await serving()).entities('project');
      const ids = projects.find({ team_id, erased: { $exists: false } }, { projection: { _id: 1 }, ...queryTimeout() });
      return (await ids.limit(most).toArray()).map(({ _id }) => _id);
    },
    versions: async function* (ids) {
      const { entities } = await serving();
      for await (const document of entities('project_version').find({ _id: { $in: [...ids] } }))
        yield entityOf(document);
    },
    endpoints: (team_id) => all('webhook_endpoint', team_id === null ? {} : { team_id }),
    ownersOf: (account_id) => all('account_member', { account_id, owner: true }),
    ownershipsOf: (user_id) => all('account_member', { user_id, owner: true }),
    ownershipsOfAll: (ids) => all('account_member', { user_id: { $in: [...ids] }, owner: true }),
    openInvitations: (account_id) => all('invitation', { account_id, revoked_at: null, accepted_at: null }),
    failing: async (endpoint_id) => (await failingOf([endpoint_id])).get(endpoint_id) ?? null,
    failingOf,
    ledgerOf: async (account_id) => {
      const { ledger, model_version } = await servingRenders(db)();
      if (model_version < LEDGER_SINCE) return null;
      return await ledger.find({ account_id }, queryTimeout(LIST_TIMEOUT_MS)).toArray();
    },
  };
};
