import type { AffectedTenants } from '../../domain/audit/audited.ts';
import type { AuditKind } from '../../domain/audit/kinds.ts';

/** `all` is for operators only. */
export type AuditScope =
  | { readonly tag: 'all' }
  | { readonly tag: 'account'; readonly account_id: string }
  | { readonly tag: 'team'; readonly team_id: string };

type Filter = { readonly by: 'any' } | { readonly by: 'kind' | 'actor'; readonly value: string };

const ANY: Filter = { by: 'any' };

const idOf = (scope: AuditScope): string | null => {
  switch (scope.tag) {
    case 'all':
      return null;
    case 'account':
      return scope.account_id;
    case 'team':
      return scope.team_id;
  }
};

/** The level that has all elements of a list. Higher levels are skip lists (`skipListToken`). */
const LEVEL = 0;

/** JSON, so that no actor or id with separators can equal the token of another list. */
const token = (list: string, scope: AuditScope, filter: Filter): string =>
  JSON.stringify([list, LEVEL, scope.tag, idOf(scope), filter.by, filter.by === 'any' ? null : filter.value]);

const scopesOf = ({ account_id, team_ids }: AffectedTenants): readonly AuditScope[] => [
  { tag: 'all' },
  ...(account_id === null ? [] : [{ tag: 'account', account_id } as const]),
  ...team_ids.map((team_id) => ({ tag: 'team', team_id }) as const),
];

const tokens = (list: string, scopes: readonly AuditScope[], filters: readonly Filter[]): readonly string[] =>
  scopes.flatMap((scope) => filters.map((filter) => token(list, scope, filter)));

const ENTRIES = 'audit';
const REQUESTS = 'requested';

/**
 * The tokens of the lists that have an entry. Each of its scopes has a list of all entries, of the entry's kind, and of
 * its actor.
 */
export const auditTokens = (
  entry: AffectedTenants & { readonly kind: AuditKind; readonly actor: string },
): readonly string[] =>
  tokens(ENTRIES, scopesOf(entry), [ANY, { by: 'kind', value: entry.kind }, { by: 'actor', value: entry.actor }]);

export const requestTokens = (
  { account_id, team_id }: { readonly account_id: string; readonly team_id: string },
  actor: string,
): readonly string[] =>
  tokens(REQUESTS, scopesOf({ account_id, team_ids: [team_id] }), [ANY, { by: 'actor', value: actor }]);

export const entriesListToken = (scope: AuditScope, kind: AuditKind | null, actor: string | null): string => {
  const filter: Filter =
    actor !== null ? { by: 'actor', value: actor } : kind !== null ? { by: 'kind', value: kind } : ANY;
  return token(ENTRIES, scope, filter);
};

export const requestsListToken = (scope: AuditScope, actor: string | null): string =>
  token(REQUESTS, scope, actor === null ? ANY : { by: 'actor', value: actor });
