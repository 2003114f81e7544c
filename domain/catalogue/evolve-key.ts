import { type ApiKey, membershipId } from './entities.ts';
import type { ApiKeyIssued, ApiKeyRevoked, ApiKeyRotated } from './events.ts';
import { MAX_TEAMS_OF_A_KEY } from './limits.ts';
import { acceptedVerdict, type CatalogueVerdict, type CatalogueView, ignoredVerdict } from './verdict.ts';

/**
 * True if the user of a personal key is a member of all its teams. This may be false for keys that are older than rules
 * 1.
 */
const isOfMember = (view: CatalogueView, { user_id, team_ids }: Pick<ApiKey, 'user_id' | 'team_ids'>): boolean =>
  user_id === null || team_ids.every((id) => view('membership', membershipId(id, user_id))?.removed === false);

export const keyIssued = (
  view: CatalogueView,
  event: ApiKeyIssued,
  at: number,
  is_bound: boolean,
): CatalogueVerdict => {
  const { account_id, user_id, team_ids, name, secret_sha256, prefix, last4, expires_at, scopes } = event;
  if (view('api_key', event.key_id) !== null) return ignoredVerdict('already_exists');
  if (view('account', account_id) === null) return ignoredVerdict('account_unknown');
  if (user_id !== null && view('user', user_id) === null) return ignoredVerdict('user_unknown');
  if (team_ids.length === 0) return ignoredVerdict('no_teams');
  if (is_bound && team_ids.length > MAX_TEAMS_OF_A_KEY) return ignoredVerdict('too_many_teams_of_key');
  const teams = team_ids.map((id) => view('team', id));
  if (teams.includes(null)) return ignoredVerdict('team_unknown');
  if (teams.some((team) => team?.account_id !== account_id)) return ignoredVerdict('team_of_another_account');
  if (is_bound && !isOfMember(view, event)) return ignoredVerdict('not_a_member');
  const key = { account_id, user_id, team_ids, name, secret_sha256, prefix, last4, expires_at };
  return acceptedVerdict({
    kind: 'api_key',
    id: event.key_id,
    ...key,
    created_at: at,
    revoked_at: null,
    replaced_by: null,
    ...(scopes === null || scopes.length === 0 ? {} : { scopes }),
  });
};

export const keyRotated = (
  view: CatalogueView,
  event: ApiKeyRotated,
  at: number,
  is_bound: boolean,
): CatalogueVerdict => {
  const { new_key_id, secret_sha256, prefix, last4, expires_at, overlap_until } = event;
  const old = view('api_key', event.key_id);
  if (view('api_key', new_key_id) !== null) return ignoredVerdict('already_exists');
  if (old === null) return ignoredVerdict('key_unknown');
  // Old documents lack `replaced_by`.
  if ((old.replaced_by ?? null) !== null) return ignoredVerdict('already_rotated');
  if (old.revoked_at !== null) return ignoredVerdict('key_revoked');
  if (old.expires_at !== null && old.expires_at <= at) return ignoredVerdict('key_expired');
  if (old.secret_sha256 === secret_sha256) return ignoredVerdict('secret_in_use');
  if (is_bound && !isOfMember(view, old)) return ignoredVerdict('not_a_member');
  const ended =
    overlap_until <= at ? { revoked_at: at } : { expires_at: Math.min(overlap_until, old.expires_at ?? overlap_until) };
  return acceptedVerdict(
    { ...old, ...ended, replaced_by: new_key_id },
    { ...old, id: new_key_id, secret_sha256, prefix, last4, expires_at, created_at: at },
  );
};

export const keyRevoked = (view: CatalogueView, { key_id }: ApiKeyRevoked, at: number): CatalogueVerdict => {
  const key = view('api_key', key_id);
  if (key === null) return ignoredVerdict('key_unknown');
  return key.revoked_at === null ? acceptedVerdict({ ...key, revoked_at: at }) : ignoredVerdict('already_revoked');
};
