import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { type TeamView, teamView } from './answers.ts';
import { type CatalogueWriter, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { newId } from './identity.ts';
import { findEntity } from './named-entity.ts';

export const teamById = async (
  read_model: CatalogueReadModel,
  id: string,
): Promise<E.Either<CatalogueFault, TeamView>> => E.map(teamView)(await findEntity(read_model, 'team', id));

export type NewTeam = { readonly account_id: string; readonly name: string; readonly id?: string };

export const createTeam = async (catalogue: CatalogueWriter, { account_id, name, id = newId('team') }: NewTeam) =>
  changeAndRead(catalogue, { type: 'CreateTeam', team_id: id, account_id, name }, (read_model) =>
    teamById(read_model, id),
  );

export const renameTeam = async (catalogue: CatalogueWriter, team_id: string, name: string) =>
  changeAndRead(catalogue, { type: 'RenameTeam', team_id, name }, (read_model) => teamById(read_model, team_id));

export const listTeams = async (
  read_model: CatalogueReadModel,
  account_id: string | null,
): Promise<readonly TeamView[]> =>
  (await read_model.teams(account_id)).map(teamView).toSorted((a, b) => a.created_at - b.created_at);
