import * as E from 'fp-ts/lib/Either.js';
import { commandReply } from '../../catalogue/api-errors/catalogue-error.ts';
import {
  createInvitation,
  type IssuedInvitation,
  type NewInvitation,
  revokeInvitation,
} from '../../catalogue/invitations.ts';
import type { Invitation } from '../../domain/catalogue/entities.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import { Invitation as ShownInvitation } from '../../schemas/http/management/teams.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import type { Person } from '../access/person.ts';
import { isPossibleId } from '../access/reach.ts';

type Answer = Promise<E.Either<ApiError, Reply>>;

export const offerInvitation = async (parts: RouteDependencies, person: Person, wanted: NewInvitation): Answer =>
  commandReply(
    ({ token, ...invitation }: IssuedInvitation) => ({ ...ShownInvitation.encode(invitation), token }),
    201,
  )(await createInvitation(catalogueWriterFor(parts, person), wanted));

const NO_INVITATION: ApiError = { tag: 'not_found', param: 'invitation_id', message: 'there is no such invitation' };

/** @param isHere whether the invitation belongs to the account or team in the path; others are answered as missing */
export const withdrawInvitation = async (
  parts: RouteDependencies,
  person: Person,
  id: string,
  isHere: (invitation: Invitation) => boolean,
): Answer => {
  const found = isPossibleId(id) ? await parts.read_model.find('invitation', id) : null;
  if (found === null || !isHere(found)) return E.left(NO_INVITATION);
  return commandReply(ShownInvitation.encode)(await revokeInvitation(catalogueWriterFor(parts, person), id));
};
