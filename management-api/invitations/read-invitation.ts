import * as E from 'fp-ts/lib/Either.js';
import type { InvitationView } from '../../catalogue/answers.ts';
import { findInvitation } from '../../catalogue/invitations.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import { InvitationToken, MAX_TOKEN_LENGTH, ReceivedInvitation } from '../../schemas/http/management/sessions.ts';
import { decodeBody } from '../access/json-object.ts';
import type { SignedInHandler } from '../access/route-guards.ts';
import type { ProfilesOf } from '../people/profiles.ts';

export type ReadInvitationDependencies = {
  readonly read_model: CatalogueReadModel;
  readonly profilesOf: ProfilesOf;
  readonly clock: Pick<Clock, 'now'>;
};

const NO_INVITATION: ApiError = { tag: 'not_found', message: 'there is no such invitation' };

const stateOf = ({ accepted_at, revoked_at, expires_at }: InvitationView, now: number) => {
  if (accepted_at !== null) return 'accepted';
  if (revoked_at !== null) return 'revoked';
  return expires_at <= now ? 'expired' : 'open';
};

const USER = 'user:';

/** The invitation of a link. The token in the body proves that the person has the link. */
export const readInvitation =
  ({ read_model, profilesOf, clock }: ReadInvitationDependencies): SignedInHandler =>
  async (request) => {
    const body = await decodeBody(request, InvitationToken);
    if (E.isLeft(body)) return body;
    const { token } = body.right;
    const found = token.length > MAX_TOKEN_LENGTH ? null : await findInvitation(read_model, token);
    if (found === null || E.isLeft(found)) return E.left(NO_INVITATION);
    const { account_id, team_id, role, invited_by, expires_at } = found.right;
    const inviter = invited_by.startsWith(USER) ? invited_by.slice(USER.length) : null;
    const [account, team, profileOf] = await Promise.all([
      read_model.find('account', account_id),
      team_id === null ? null : read_model.find('team', team_id),
      profilesOf(inviter === null ? [] : [inviter]),
    ]);
    const { email, name } = profileOf(inviter);
    return E.right({
      status: 200,
      body: ReceivedInvitation.encode({
        account_name: account?.name ?? '',
        team_name: team?.name ?? null,
        ...{ role, expires_at, state: stateOf(found.right, clock.now()) },
        ...{ invited_by_email: email, invited_by_name: name },
      }),
    });
  };
