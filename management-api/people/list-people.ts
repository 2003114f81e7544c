import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import { AccountPerson } from '../../schemas/http/management/people.ts';
import type { AccountAccess } from '../access/reach.ts';
import type { AccountHandler } from '../access/route-guards.ts';
import type { ProfilesOf } from './profiles.ts';

export type ListPeopleDependencies = {
  readonly read_model: Pick<CatalogueReadModel, 'teams' | 'membersOf' | 'ownersOf'>;
  readonly profilesOf: ProfilesOf;
};

const MAX_PEOPLE = 1_000;
const TEAMS_AT_ONCE = 8;

/** The owners, and the members of the teams that the reader sees: all teams for an owner. */
const visibleIds = async (
  { read_model }: ListPeopleDependencies,
  { person, account, role }: AccountAccess,
): Promise<readonly string[]> => {
  const one = pLimit(TEAMS_AT_ONCE);
  const teams = (await read_model.teams(account.id)).filter(({ id }) => role === 'owner' || person.roles.has(id));
  const [owners, ...members] = await Promise.all([
    read_model.ownersOf(account.id),
    ...teams.map(({ id }) => one(() => read_model.membersOf(id))),
  ]);
  return [...new Set([...owners, ...members.flat()].map(({ user_id }) => user_id))].toSorted().slice(0, MAX_PEOPLE);
};

export const listPeople =
  (parts: ListPeopleDependencies): AccountHandler =>
  async (_request, at) => {
    const ids = await visibleIds(parts, at);
    const profileOf = await parts.profilesOf(ids);
    const data = ids.map((user_id) => AccountPerson.encode({ user_id, ...profileOf(user_id) }));
    return E.right({ status: 200, body: { data } });
  };
