import * as E from 'fp-ts/lib/Either.js';
import { membershipId } from '../../domain/catalogue/entities.ts';
import type { Role } from '../../domain/catalogue/events.ts';
import type { CliFault } from '../fault.ts';
import { type MemberAnswer, memberAnswer, type TeamAnswer, teamAnswer } from './answers.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { type Catalogue, changeCatalogue } from './change.ts';
import { metaOf, newId } from './identity.ts';

const teamUnknown = (id: string): CliFault => ({ tag: 'not_found', what: 'team', id, list: 'renderctl team list' });

export type NewTeam = { readonly account_id: string; readonly name: string; readonly id?: string };

export const createTeam = async (catalogue: Catalogue, wanted: NewTeam): Promise<E.Either<CliFault, TeamAnswer>> => {
  const { account_id, name, id = newId('team') } = wanted;
  const meta = metaOf(catalogue.actor);
  const created = await changeCatalogue(catalogue, { type: 'TeamCreated', meta, team_id: id, account_id, name });
  if (E.isLeft(created)) return created;
  const team = await created.right.view.teams.findOne({ _id: id });
  return team === null ? E.left(teamUnknown(id)) : E.right(teamAnswer(team));
};

export const listTeams = async (view: CatalogueView, account_id: string | null): Promise<readonly TeamAnswer[]> =>
  (await view.teams.find(account_id === null ? {} : { account_id }).toArray())
    .map(teamAnswer)
    .toSorted((a, b) => a.created_at - b.created_at);

export type Member = { readonly team_id: string; readonly user_id: string; readonly role: Role };

export const addMember = async (catalogue: Catalogue, member: Member): Promise<E.Either<CliFault, MemberAnswer>> => {
  const added = await changeCatalogue(catalogue, { type: 'MemberAdded', meta: metaOf(catalogue.actor), ...member });
  if (E.isLeft(added)) return added;
  const id = membershipId(member.team_id, member.user_id);
  const membership = await added.right.view.memberships.findOne({ _id: id });
  const list = `renderctl member list --team ${member.team_id}`;
  return membership === null
    ? E.left({ tag: 'not_found', what: 'member', id, list })
    : E.right(memberAnswer(membership));
};

/** @returns who is no longer a member */
export const removeMember = async (
  catalogue: Catalogue,
  member: Pick<Member, 'team_id' | 'user_id'>,
): Promise<E.Either<CliFault, Pick<Member, 'team_id' | 'user_id'>>> => {
  const meta = metaOf(catalogue.actor);
  const removed = await changeCatalogue(catalogue, { type: 'MemberRemoved', meta, ...member });
  return E.isLeft(removed) ? removed : E.right(member);
};

/** The members that a team has now. An unknown team is a fault, not an empty list. */
export const listMembers = async (
  view: CatalogueView,
  team_id: string,
): Promise<E.Either<CliFault, readonly MemberAnswer[]>> => {
  if ((await view.teams.findOne({ _id: team_id })) === null) return E.left(teamUnknown(team_id));
  const members = await view.memberships.find({ team_id, removed: false }).toArray();
  return E.right(members.map(memberAnswer).toSorted((a, b) => a.joined_at - b.joined_at));
};
