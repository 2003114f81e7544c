import * as E from 'fp-ts/lib/Either.js';
import { createAccount } from '../catalogue/accounts.ts';
import { createKey } from '../catalogue/keys.ts';
import { createTeam } from '../catalogue/teams.ts';
import { actor } from '../domain/event/meta.ts';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import { catalogueReadModel } from '../read-models/catalogue/management.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';

const made = async <A>(step: Promise<E.Either<unknown, A>>): Promise<A> => {
  const done = await step;
  if (E.isLeft(done)) throw new Error(JSON.stringify(done.left));
  return done.right;
};

/** A key that changes projects of a new account with one team. */
export const newAccountKey = async ({ records, store }: StackClients, name: string): Promise<string> => {
  const by = { actor: actor('operator', 'bench'), clock: SYSTEM_CLOCK };
  const catalogue = { records, read_model: catalogueReadModel(store.db), ...by };
  const { id: account_id } = await made(createAccount(catalogue, { name, unlimited_credits: true }));
  const { id: team_id } = await made(createTeam(catalogue, { account_id, name }));
  const of_account = { account_id, user_id: null, team_ids: [team_id], name, expires_at: null };
  const { key } = await made(createKey(catalogue, { ...of_account, scopes: ['projects:write'] }));
  return key;
};
