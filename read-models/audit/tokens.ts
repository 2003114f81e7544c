import type { AuditReach } from '../../domain/audit/audited.ts';
import type { AuditKind } from '../../domain/audit/kinds.ts';

/** `all` is for operators only. */
export type AuditScope =
  | { readonly tag: 'all' }
  | { readonly tag: 'account'; readonly account_id: string }
  | { readonly tag: 'team'; readonly team_id: string };

/** The entries of a scope that a list shows. */
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

/** All elements of a list. Levels of a skip list have their number in its place (`skipListToken`). */
const LEVEL = 0;

/** JSON, so that no chosen id or actor can look like another list. */
const token = (list: string, scope: AuditScope, filter: Filter): string =>
  JSON.stringify([list, LEVEL, scope.tag, idOf(scope), filter.by, filter.by === 'any' ? null : filter.value]);

const scopesOf = ({ account_id, team_ids }: AuditReach): readonly AuditScope[] => [
  { tag: 'all' },
  ...(account_id === null ? [] : [{ tag: 'account', account_id } as const]),
  ...team_ids.map((team_id) => ({ tag: 'team', team_id }) as const),
];

const tokens = (list: string, scopes: readonly AuditScope[], filters: readonly Filter[]): readonly string[] =>
  scopes.flatMap((scope) => filters.map((filter) => token(list, scope, filter)));

const ENTRIES = 'audit';
const REQUESTS = 'requested';

/** The lists that an entry is in: of each of its scopes all entries, those of its kind, and those by its actor. */
export const auditTokens = (
  entry: AuditReach & { readonly kind: AuditKind; readonly actor: string },
): readonly string[] =>
  tokens(ENTRIES, scopesOf(entry), [ANY, { by: 'kind', value: entry.kind }, { by: 'actor', value: entry.actor }]);

/** The lists that the request of a render is in; the document of the render has them among its search tokens. */
export const requestTokens = (
  { account_id, team_id }: { readonly account_id: string; readonly team_id: string },
  actor: string,
): readonly string[] =>
  tokens(REQUESTS, scopesOf({ account_id, team_ids: [team_id] }), [ANY, { by: 'actor', value: actor }]);

/** The shortest list with all entries of a kind by an actor. If both are given, it is the list of the actor. */
export const entriesList = (scope: AuditScope, kind: AuditKind | null, actor: string | null): string => {
  const filter: Filter =
    actor !== null ? { by: 'actor', value: actor } : kind !== null ? { by: 'kind', value: kind } : ANY;
  return token(ENTRIES, scope, filter);
};

export const requestsList = (scope: AuditScope, actor: string | null): string =>
  token(REQUESTS, scope, actor === null ? ANY : { by: 'actor', value: actor });
