import type { Schemas } from '../api/client.ts';

const ROLES = { owner: 'an owner', admin: 'an admin', member: 'a member' } as const;

const OVER = {
  accepted: 'This invitation was already accepted. If it was you, accept it again to open the team.',
  revoked: 'This invitation was revoked. Ask for another one.',
  expired: 'This invitation has expired. Ask for another one.',
} as const;

/** Names the inviter, the role, and the team or the account. */
export const invitationText = (invitation: Schemas['ReceivedInvitation']): string => {
  const { account_name, team_name, role, invited_by_name, invited_by_email, state } = invitation;
  if (state !== 'open') return OVER[state];
  const to = team_name === null ? account_name : `the team ${team_name} of ${account_name}`;
  const [inviter, address] = [invited_by_name ?? invited_by_email, invited_by_name === null ? null : invited_by_email];
  const invited =
    inviter === null ? 'You are invited' : `${inviter}${address === null ? '' : ` (${address})`} invites you`;
  return `${invited} to become ${ROLES[role]} of ${to}.`;
};
