import * as E from 'fp-ts/lib/Either.js';
import type { Values } from '../../platform/configuration/configuration.ts';
import type { SIGN_IN } from '../../platform/configuration/parts.ts';

export type SignInSettings = {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string | undefined;
  readonly scope: string;
  readonly operator: { readonly claim: string; readonly value: string } | null;
  readonly public_url: string;
  readonly identity_secret: string;
};

/** Null if no provider is configured. Left: the setting that is missing. */
export const signInSettings = (values: Values<typeof SIGN_IN>): E.Either<string, SignInSettings | null> => {
  const { issuer, client_id, client_secret, scope, operator_claim, operator_value, public_url, identity_secret } =
    values;
  if (issuer === undefined) return E.right(null);
  const missing = (name: string) => E.left(`${name} is required if OIDC_ISSUER_URL is set`);
  if (client_id === undefined) return missing('OIDC_CLIENT_ID');
  if (public_url === undefined) return missing('PUBLIC_URL');
  if (identity_secret === undefined) return missing('IDENTITY_SECRET');
  const given = { issuer, client_id, client_secret, scope, public_url, identity_secret };
  if (operator_claim === undefined && operator_value === undefined) return E.right({ ...given, operator: null });
  if (operator_claim === undefined || operator_value === undefined)
    return E.left('set both OIDC_OPERATOR_CLAIM and OIDC_OPERATOR_VALUE, or neither');
  return E.right({ ...given, operator: { claim: operator_claim, value: operator_value } });
};
