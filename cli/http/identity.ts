import * as E from 'fp-ts/lib/Either.js';
import { tableText } from '../table.ts';
import type { ApiAnswer, ApiClient, ApiResult } from './api-client.ts';
import { AccountAnswer, type TeamAnswer } from './project-answers.ts';
import { teamsOfKey } from './projects.ts';

/** The account and the teams that the key reaches. */
export type Identity = {
  readonly url: string;
  readonly key_from: ApiClient['address']['key_from'];
  readonly account: AccountAnswer;
  readonly teams: readonly TeamAnswer[];
};

export const readIdentity = async (client: ApiClient): ApiResult<Identity> => {
  const account = await client.send(AccountAnswer, { path: '/v1/account' });
  if (E.isLeft(account)) return account;
  const teams = await teamsOfKey(client);
  const { base_url: url, key_from } = client.address;
  const { body }: ApiAnswer<AccountAnswer> = account.right;
  return E.map((found: readonly TeamAnswer[]) => ({ url, key_from, account: body, teams: found }))(teams);
};

const SOURCES: Readonly<Record<Identity['key_from'], string>> = {
  log_in: 'log-in',
  session: 'session',
  environment: 'RENDERCTL_API_KEY',
  stack: 'stack of this machine',
};

export const identityText = ({ url, key_from, account, teams }: Identity): string => {
  const { unlimited, balance } = account.credits;
  const credits = unlimited ? 'no credit limit' : `${balance ?? 0} credits left`;
  return tableText(
    ['', 'id', ''],
    [
      ['service', url, `key: ${SOURCES[key_from]}`],
      ['account', account.id, `${account.name}, ${credits}`],
      ...teams.map(({ id, name, role }) => ['team', id, role === null ? name : `${name}, ${role}`]),
    ],
  );
};
