const ADMIN_RIGHTS = [
  ...(['read', 'request_renders', 'cancel_renders', 'erase_renders', 'erase_projects'] as const),
  ...(['rename', 'manage_keys', 'manage_endpoints', 'manage_members'] as const),
] as const;

/** What somebody may do in a team or an account, as words that pages go by; the server asks the role again. */
export const TEAM_RIGHTS = {
  owner: ADMIN_RIGHTS,
  admin: ADMIN_RIGHTS,
  member: ['read', 'request_renders', 'cancel_renders'],
} as const;

export const ACCOUNT_RIGHTS = {
  owner: ['read', 'rename', 'name_downloads', 'make_teams', 'manage_owners', 'erase'],
  member: ['read'],
} as const;

type Named = { readonly id: string; readonly name: string };

export const teamOfPerson = (team: Named & { readonly account_id: string }, role: keyof typeof TEAM_RIGHTS) => ({
  ...{ id: team.id, name: team.name, account_id: team.account_id },
  ...{ role, may: TEAM_RIGHTS[role] },
});

export const accountOfPerson = ({ id, name }: Named, role: keyof typeof ACCOUNT_RIGHTS) => ({
  ...{ id, name, role, may: ACCOUNT_RIGHTS[role] },
});
