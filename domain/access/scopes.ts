/** Rights of an API key beyond those of every key. A key has none unless its creator chose them. */
export const SCOPES = ['projects:write'] as const;

export type Scope = (typeof SCOPES)[number];

type Scoped = { readonly scopes?: readonly string[] };

export const hasScope = ({ scopes = [] }: Scoped, scope: Scope): boolean => scopes.includes(scope);

/** Without scopes that a later version recorded. */
export const knownScopes = ({ scopes = [] }: Scoped): readonly Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope));
