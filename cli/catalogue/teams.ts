import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../fault.ts';
import { type TeamAnswer, teamAnswer } from './answers.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { type Catalogue, changed } from './change.ts';
import { metaOf, newId } from './identity.ts';

export const teamById = async (view: CatalogueView, id: string): Promise<E.Either<CliFault, TeamAnswer>> => {
  const team = await view.teams.findOne({ _id: id });
  return team === null
    ? E.left({ tag: 'not_found', what: 'team', id, list: 'renderctl team list' })
    : E.right(teamAnswer(team));
};

export type NewTeam = { readonly account_id: string; readonly name: string; readonly id?: string };

export const createTeam = async (catalogue: Catalogue, wanted: NewTeam) => {
  const { account_id, name, id = newId('team') } = wanted;
  return changed(
    catalogue,
    { type: 'TeamCreated', meta: metaOf(catalogue.actor), team_id: id, account_id, name },
    (view) => teamById(view, id),
    (team) => team.account_id === account_id && team.name === name,
  );
};

export const renameTeam = async (catalogue: Catalogue, team_id: string, name: string) =>
  changed(
    catalogue,
    { type: 'TeamRenamed', meta: metaOf(catalogue.actor), team_id, name },
    (view) => teamById(view, team_id),
    (team) => team.name === name,
  );

export const listTeams = async (view: CatalogueView, account_id: string | null): Promise<readonly TeamAnswer[]> =>
  (await view.teams.find(account_id === null ? {} : { account_id }).toArray())
    .map(teamAnswer)
    .toSorted((a, b) => a.created_at - b.created_at);
