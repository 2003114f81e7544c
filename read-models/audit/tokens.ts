import type { AuditReach } from '../../domain/audit/audited.ts';
import type { AuditKind } from '../../domain/audit/kinds.ts';
import { type SkipLevel, skipLevel, type TokenList } from '../skip-list.ts';

/** Whose audit it is. `all`: for operators alone. */
export type AuditScope =
  | { readonly tag: 'all' }
  | { readonly tag: 'account'; readonly account_id: string }
  | { readonly tag: 'team'; readonly team_id: string };

/** What a list shows of its scope: everything, or what is of one kind, or by one actor. */
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

/** JSON, so that no id or actor can be chosen to look like another list. @param level 0 for all elements of the list */
const token = (list: string, scope: AuditScope, filter: Filter, level: 0 | SkipLevel): string =>
  JSON.stringify([list, level, scope.tag, idOf(scope), filter.by, filter.by === 'any' ? null : filter.value]);

const scopesOf = ({ account_id, team_ids }: AuditReach): readonly AuditScope[] => [
  { tag: 'all' },
  ...(account_id === null ? [] : [{ tag: 'account', account_id } as const]),
  ...team_ids.map((team_id) => ({ tag: 'team', team_id }) as const),
];

const withLevel = (id: string, scopes: readonly AuditScope[], list: string, filters: readonly Filter[]) => {
  const level = skipLevel(id);
  const levels = level === 0 ? [0 as const] : [0 as const, level];
  return levels.flatMap((one) => scopes.flatMap((scope) => filters.map((filter) => token(list, scope, filter, one))));
};

const ENTRIES = 'audit';
const REQUESTS = 'requested';

/** The lists that an entry is in: those of all its scopes, by kind and by actor too, and what levels of them it has. */
export const auditTokens = (
  id: string,
  entry: AuditReach & { readonly kind: AuditKind; readonly actor: string },
): readonly string[] =>
  withLevel(id, scopesOf(entry), ENTRIES, [
    ANY,
    { by: 'kind', value: entry.kind },
    { by: 'actor', value: entry.actor },
  ]);

/** The same of the request of a render, which stands among what the render is found by. */
export const requestTokens = (
  render: { readonly id: string; readonly account_id: string; readonly team_id: string },
  actor: string,
): readonly string[] => {
  const { id, account_id, team_id } = render;
  return withLevel(id, scopesOf({ account_id, team_ids: [team_id] }), REQUESTS, [ANY, { by: 'actor', value: actor }]);
};

/** The narrowest list that has all entries of a kind by an actor: where both are asked for, it is the actor's. */
export const entriesList =
  (scope: AuditScope, kind: AuditKind | null, actor: string | null): TokenList =>
  (level) => {
    const filter: Filter =
      actor !== null ? { by: 'actor', value: actor } : kind !== null ? { by: 'kind', value: kind } : ANY;
    return token(ENTRIES, scope, filter, level);
  };

export const requestsList =
  (scope: AuditScope, actor: string | null): TokenList =>
  (level) =>
    token(REQUESTS, scope, actor === null ? ANY : { by: 'actor', value: actor }, level);
