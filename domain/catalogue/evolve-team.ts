import { type ApiKey, membershipId } from './entities.ts';
import type { MemberAdded, MemberRemoved, MemberRoleChanged, TeamCreated, TeamRenamed } from './events.ts';
import { acceptedVerdict, type CatalogueVerdict, type CatalogueView, ignoredVerdict } from './verdict.ts';

export const teamCreated = (view: CatalogueView, event: TeamCreated, at: number): CatalogueVerdict => {
  const { team_id: id, account_id, name } = event;
  if (view('team', id) !== null) return ignoredVerdict('already_exists');
  if (view('account', account_id) === null) return ignoredVerdict('account_unknown');
  return acceptedVerdict({ kind: 'team', id, account_id, name, created_at: at });
};

export const teamRenamed = (view: CatalogueView, { team_id, name }: TeamRenamed): CatalogueVerdict => {
  const team = view('team', team_id);
  if (team === null) return ignoredVerdict('team_unknown');
  return team.name === name ? ignoredVerdict('already_so') : acceptedVerdict({ ...team, name });
};

export const memberAdded = (view: CatalogueView, event: MemberAdded, at: number): CatalogueVerdict => {
  const { team_id, user_id, role } = event;
  const id = membershipId(team_id, user_id);
  if (view('team', team_id) === null) return ignoredVerdict('team_unknown');
  if (view('user', user_id) === null) return ignoredVerdict('user_unknown');
  if (view('membership', id)?.removed === false) return ignoredVerdict('already_member');
  return acceptedVerdict({ kind: 'membership', id, team_id, user_id, role, joined_at: at, removed: false });
};

export const roleChanged = (view: CatalogueView, { team_id, user_id, role }: MemberRoleChanged): CatalogueVerdict => {
  const membership = view('membership', membershipId(team_id, user_id));
  if (view('team', team_id) === null) return ignoredVerdict('team_unknown');
  if (view('user', user_id) === null) return ignoredVerdict('user_unknown');
  if (membership === null || membership.removed) return ignoredVerdict('not_a_member');
  return membership.role === role ? ignoredVerdict('already_so') : acceptedVerdict({ ...membership, role });
};

/** Each personal key of the member loses the team. A key that loses its last team is revoked. */
export const memberRemoved = (view: CatalogueView, event: MemberRemoved, at: number): CatalogueVerdict => {
  const { team_id, user_id } = event;
  const id = membershipId(team_id, user_id);
  const membership = view('membership', id);
  if (membership === null || membership.removed) return ignoredVerdict('not_a_member');
  const ended = (view('member_keys', id)?.keys ?? []).flatMap((listed): readonly ApiKey[] => {
    const key = view('api_key', listed.id);
    if (key === null || key.revoked_at !== null) return [];
    const team_ids = key.team_ids.filter((one) => one !== team_id);
    return [team_ids.length === 0 ? { ...key, revoked_at: at } : { ...key, team_ids }];
  });
  return acceptedVerdict({ ...membership, removed: true }, ...ended);
};
