import type { ExecutionContext } from 'ava';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { appendToCatalogue, issued, meta, newKey, versionOf } from './_catalogue.ts';
import type { Answer } from './_client.ts';
import { get, type World } from './_world.ts';

/** The price of a render of these projects: 10 s of 1280x720. */
export const PRICE = 10;

export type Account = {
  readonly id: string;
  readonly key: string;
  readonly body: { name: string; project_id: string };
};

export const granted = (account: Account, grant: string, credits: number): CatalogueEvent => ({
  type: 'CreditsGranted',
  rules: 0,
  meta,
  account_id: account.id,
  grant_id: grant,
  credits,
});

/**
 * An account with its own project.
 *
 * @param more further events, such as grants
 */
const made = async (
  world: World,
  name: string,
  unlimited_credits: boolean,
  more: (account: Account) => readonly CatalogueEvent[],
): Promise<Account> => {
  const minted = newKey();
  const [id, team_id, project_id] = [`acc_${name}`, `team_${name}`, `proj_${name}`];
  const account = { id, key: minted.key, body: { name, project_id } };
  const project = { type: 'ProjectCreated', rules: 0, meta, team_id, name, created_by: null, payload: null } as const;
  const last = `${project_id}_last`;
  await appendToCatalogue(world.clients.records, [
    { type: 'AccountCreated', rules: 0, meta, account_id: id, name, unlimited_credits },
    { type: 'TeamCreated', rules: 0, meta, team_id, account_id: id, name },
    issued(`key_${name}`, minted, { account_id: id, team_ids: [team_id] }),
    { ...project, project_id },
    versionOf(project_id, 1, name),
    ...more(account),
    // The last record: the function then waits until this project is folded.
    { ...project, project_id: last },
  ]);
  await pollUntil('the account exists', async () => (await get(world, `projects/${last}`, minted.key)).status === 200);
  return account;
};

export const accountWith = (world: World, name: string, credits: number): Promise<Account> =>
  made(world, name, false, (account) => (credits === 0 ? [] : [granted(account, `first_${name}`, credits)]));

export const accountOf = (world: World, name: string): Promise<Account> => made(world, name, true, () => []);

/** Credits that a busy process could not return in time are unavailable for two minutes. */
const MAX_LEASED_MS = 150_000;

export const atOnce = (many: number, ask: (i: number) => Promise<Answer>): Promise<readonly Answer[]> =>
  Promise.all(Array.from({ length: many }, (_, i) => ask(i)));

export const count = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

/**
 * Asserts that the answers and further requests together are accepted exactly as often as they are paid for. The outcome
 * of a 503 answer is unknown.
 *
 * @param ask sends a further request without an Idempotency-Key
 */
export const spendsExactly = async (
  t: ExecutionContext,
  answers: readonly Answer[],
  paid: number,
  ask: () => Promise<Answer>,
): Promise<void> => {
  let [accepted, unknown] = [count(answers, 201), count(answers, 503)];
  t.is(accepted + unknown + count(answers, 402), answers.length);
  await pollUntil(
    'no credits are left',
    async () => {
      const { status } = await ask();
      if (status === 201) accepted += 1;
      if (status === 503) unknown += 1;
      return status === 402;
    },
    MAX_LEASED_MS,
  );
  t.true(accepted <= paid && accepted + unknown >= paid, `${accepted} accepted, ${unknown} unknown`);
};
