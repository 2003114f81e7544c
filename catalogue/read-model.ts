import type { Entity, EntityKind, EntityOf, EntityRef } from '../domain/catalogue/entities.ts';
import type { LedgerDocument } from '../schemas/read-models/render-document.ts';

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
