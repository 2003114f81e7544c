import * as E from 'fp-ts/lib/Either.js';
import { membershipId } from '../domain/catalogue/entities.ts';
import type { Role } from '../domain/catalogue/events.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { type MemberView, memberView } from './answers.ts';
import { type CatalogueWriter, type ChangeResult, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { waitUntilEffective } from './in-force.ts';
import { teamById } from './teams.ts';

export type Member = { readonly team_id: string; readonly user_id: string; readonly role: Role };
export type MemberRef = Omit<Member, 'role'>;

const memberOf =
  ({ team_id, user_id }: MemberRef) =>
  async (read_model: CatalogueReadModel): Promise<E.Either<CatalogueFault, MemberView>> => {
    const id = membershipId(team_id, user_id);
    const membership = await read_model.find('membership', id);
    return membership === null || membership.removed
      ? E.left({ tag: 'missing', kind: 'membership', id })
      : E.right(memberView(membership));
  };

export const addMember = async (catalogue: CatalogueWriter, member: Member) =>
  changeAndRead(catalogue, { type: 'AddMember', ...member }, memberOf(member));

export const changeRole = async (catalogue: CatalogueWriter, member: Member) =>
  waitUntilEffective(catalogue, changeAndRead(catalogue, { type: 'ChangeRole', ...member }, memberOf(member)));

/** Returns when the change is in effect. Refused for a user who was never a member. */
export const removeMember = async (
  catalogue: CatalogueWriter,
  { team_id, user_id }: MemberRef,
): Promise<E.Either<CatalogueFault, ChangeResult<MemberRef>>> =>
  waitUntilEffective(
    catalogue,
    changeAndRead(catalogue, { type: 'RemoveMember', team_id, user_id }, async () => E.right({ team_id, user_id })),
  );

const inOrder = (members: readonly MemberView[]): readonly MemberView[] =>
  members.toSorted((a, b) => a.joined_at - b.joined_at);

/** An unknown team is a fault, not an empty list. */
export const listMembers = async (
  read_model: CatalogueReadModel,
  team_id: string,
): Promise<E.Either<CatalogueFault, readonly MemberView[]>> => {
  const team = await teamById(read_model, team_id);
  if (E.isLeft(team)) return team;
  return E.right(inOrder((await read_model.membersOf(team_id)).map(memberView)));
};

export const membershipsOf = async (read_model: CatalogueReadModel, user_id: string): Promise<readonly MemberView[]> =>
  inOrder((await read_model.membershipsOf(user_id)).map(memberView));
