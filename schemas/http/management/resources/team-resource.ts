type Named = { readonly id: string; readonly name: string; readonly created_at: number };

export const teamResource = (team: Named & { readonly account_id: string }) => {
  const { id, name, account_id, created_at } = team;
  return { id, name, account_id, created_at };
};

export const accountResource = ({ id, name, created_at }: Named) => ({ id, name, created_at });

export const downloadsResource = ({ named_by }: { readonly named_by: 'name' | 'id' }) => ({ named_by });

export const memberResource = (member: {
  readonly user_id: string;
  readonly role: string;
  readonly joined_at: number;
}) => {
  const { user_id, role, joined_at } = member;
  return { user_id, role, joined_at };
};

export const ownerResource = ({
  user_id,
  owner_since,
}: {
  readonly user_id: string;
  readonly owner_since: number | null;
}) => ({ user_id, owner_since });

/** The token is shown once, to who invites. */
export const invitationResource = (invitation: {
  readonly id: string;
  readonly account_id: string;
  readonly team_id: string | null;
  readonly role: string;
  readonly invited_by: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
}) => {
  const { id, account_id, team_id, role, invited_by, created_at, expires_at, revoked_at } = invitation;
  return { id, account_id, team_id, role, invited_by, created_at, expires_at, revoked_at };
};
