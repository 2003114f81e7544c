import test from 'ava';
import { parseSetCookie } from 'cookie';
import { createAccount } from '../../../../catalogue/accounts.ts';
import { linkIdentity } from '../../../../catalogue/identities.ts';
import { addMember } from '../../../../catalogue/members.ts';
import { addOwner } from '../../../../catalogue/owners.ts';
import { createTeam } from '../../../../catalogue/teams.ts';
import { registerUser } from '../../../../catalogue/users.ts';
import { type Browser, openBrowser } from '../_browser.ts';
import { apiIn, made, startManagementWorld, type World } from '../_world.ts';

/**
 * Olga is an operator, Otto owns the account, Ada is an admin of its team, and Mia is a member. Eve owns another
 * account and is an admin of its team. `stale` is Ada and `stale_owner` is Otto, with sign-ins of yesterday.
 */
type Who = 'olga' | 'otto' | 'ada' | 'mia' | 'eve' | 'stale' | 'stale_owner';

export type People = World & {
  readonly as: Readonly<Record<Who, Browser>>;
  readonly eves: { readonly account_id: string; readonly team_id: string };
};

const DAY_MS = 86_400_000;

const start = async (): Promise<People> => {
  const world = await startManagementWorld(
    { RATE_LIMIT_PER_S: '10000', RATE_LIMIT_BURST: '10000', WEBHOOK_RETRY_FIRST_MS: '20', WEBHOOK_RETRY_FACTOR: '1' },
    ['webhook-relay', 'stills'],
  );
  const { catalogue, identityOf, account_id, team_id } = world;
  for (const who of ['otto', 'mia', 'eve']) {
    await made(registerUser(catalogue, `user_${who}`));
    await made(linkIdentity(catalogue, { identity_id: identityOf(who), user_id: `user_${who}` }));
  }
  await made(addOwner(catalogue, { account_id, user_id: 'user_otto' }));
  await made(addMember(catalogue, { team_id, user_id: 'user_mia', role: 'member' }));
  const { id: eves_account } = await made(createAccount(catalogue, { name: "Eve's", unlimited_credits: true }));
  const { id: eves_team } = await made(createTeam(catalogue, { account_id: eves_account, name: "Eve's team" }));
  await made(addOwner(catalogue, { account_id: eves_account, user_id: 'user_eve' }));
  await made(addMember(catalogue, { team_id: eves_team, user_id: 'user_eve', role: 'admin' }));

  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  const signedIn = async (who: string, auth_time: number): Promise<Browser> => {
    const identified = { identity_id: identityOf(who), is_operator: who === 'olga', auth_time, user_agent: null };
    const { name, value = '' } = parseSetCookie(await api.management.signing.beginSession(identified, null));
    const browser = openBrowser();
    browser.setCookie(name, value);
    return browser;
  };
  const now = Date.now();
  const as = {
    olga: await signedIn('olga', now),
    otto: await signedIn('otto', now),
    ada: await signedIn('ada', now),
    mia: await signedIn('mia', now),
    eve: await signedIn('eve', now),
    stale: await signedIn('ada', now - DAY_MS),
    stale_owner: await signedIn('otto', now - DAY_MS),
  };
  await api.close();
  return { ...world, as, eves: { account_id: eves_account, team_id: eves_team } };
};

let starting: Promise<People> | undefined;

export const sharedWorld = (): Promise<People> => {
  starting ??= start();
  return starting;
};

test.after.always(async (t) => {
  t.timeout(240_000);
  await (await starting)?.stop();
});
