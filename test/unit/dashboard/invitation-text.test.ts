import test from 'ava';
import { invitationText } from '../../../dashboard/source/session/invitation-text.ts';

const INVITATION = {
  ...{ account_name: 'Films', team_name: 'Trailers', invited_by_email: 'ada@example.com', expires_at: 1 },
  invited_by_name: null,
  ...({ role: 'member', state: 'open' } as const),
};

test('an invitation says who invites, to which team, and as what', (t) => {
  t.is(invitationText(INVITATION), 'ada@example.com invites you to become a member of the team Trailers of Films.');
  t.is(
    invitationText({ ...INVITATION, invited_by_name: 'Ada' }),
    'Ada (ada@example.com) invites you to become a member of the team Trailers of Films.',
  );
  t.is(
    invitationText({ ...INVITATION, team_name: null, role: 'owner', invited_by_email: null }),
    'You are invited to become an owner of Films.',
  );
});

test('an invitation that is over says why', (t) => {
  t.regex(invitationText({ ...INVITATION, state: 'expired' }), /expired/);
  t.regex(invitationText({ ...INVITATION, state: 'revoked' }), /revoked/);
});
