import * as E from 'fp-ts/lib/Either.js';
import { membershipId } from '../../domain/catalogue/entities.ts';
import type { Role } from '../../domain/catalogue/events.ts';
import type { CliFault } from '../fault.ts';
import { type MemberAnswer, memberAnswer } from './answers.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { type After, type Catalogue, changeCatalogue, changed } from './change.ts';
import { metaOf } from './identity.ts';
import { untilInForce } from './in-force.ts';
import { teamById } from './teams.ts';

export type Member = { readonly team_id: string; readonly user_id: string; readonly role: Role };
export type NoMember = Omit<Member, 'role'>;

const memberOf =
  ({ team_id, user_id }: NoMember) =>
  async (view: CatalogueView): Promise<E.Either<CliFault, MemberAnswer>> => {
    const id = membershipId(team_id, user_id);
    const membership = await view.memberships.findOne({ _id: id, removed: false });
    const list = `renderctl member list --team ${team_id}`;
    return membership === null
      ? E.left({ tag: 'not_found', what: 'member', id, list })
      : E.right(memberAnswer(membership));
  };

export const addMember = async (catalogue: Catalogue, member: Member) =>
  changed(
    catalogue,
    { type: 'MemberAdded', meta: metaOf(catalogue.actor), ...member },
    memberOf(member),
    ({ role }) => role === member.role,
  );

/** Returns when it is in force. */
export const changeRole = async (catalogue: Catalogue, member: Member) =>
  untilInForce(
    changed(
      catalogue,
      { type: 'MemberRoleChanged', meta: metaOf(catalogue.actor), ...member },
      memberOf(member),
      ({ role }) => role === member.role,
    ),
  );

/** Returns, when it is in force, who is no longer a member. Who never was one is refused. */
export const removeMember = async (
  catalogue: Catalogue,
  { team_id, user_id }: NoMember,
): Promise<E.Either<CliFault, After<NoMember>>> => {
  const removed = await untilInForce(
    changeCatalogue(
      catalogue,
      { type: 'MemberRemoved', meta: metaOf(catalogue.actor), team_id, user_id },
      async (view) => (await view.memberships.findOne({ _id: membershipId(team_id, user_id) }))?.removed === true,
    ),
  );
  if (E.isLeft(removed)) return removed;
  return E.right(removed.right.repeated ? { team_id, user_id, repeated: true } : { team_id, user_id });
};

const inOrder = (members: readonly MemberAnswer[]): readonly MemberAnswer[] =>
  members.toSorted((a, b) => a.joined_at - b.joined_at);

/** The members that a team has now. An unknown team is a fault, not an empty list. */
export const listMembers = async (
  view: CatalogueView,
  team_id: string,
): Promise<E.Either<CliFault, readonly MemberAnswer[]>> => {
  const team = await teamById(view, team_id);
  if (E.isLeft(team)) return team;
  return E.right(inOrder((await view.memberships.find({ team_id, removed: false }).toArray()).map(memberAnswer)));
};

/** The teams that a user is a member of now. */
export const membershipsOf = async (view: CatalogueView, user_id: string): Promise<readonly MemberAnswer[]> =>
  inOrder((await view.memberships.find({ user_id, removed: false }).toArray()).map(memberAnswer));
