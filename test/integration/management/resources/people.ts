import test from 'ava';
import { createAccount } from '../../../../catalogue/accounts.ts';
import { linkIdentity } from '../../../../catalogue/identities.ts';
import { addMember } from '../../../../catalogue/members.ts';
import { addOwner } from '../../../../catalogue/owners.ts';
import { createTeam } from '../../../../catalogue/teams.ts';
import { createUser } from '../../../../catalogue/users.ts';
import type { Browser } from '../_browser.ts';
import { apiIn, browserWith, made, sessionOf, type Told } from '../_world.ts';
import { ask } from './_ask.ts';
import { type People, sharedWorld } from './_shared-world.ts';

let world: People;
test.before(async (t) => {
  t.timeout(450_000);
  world = await sharedWorld();
});

const emailOf = (who: string): string => `${who}@example.com`;

/** An account with an owner, a member of each of two teams, and a person outside. Each has an address. */
const household = async () => {
  const { catalogue, clients, identityOf } = world;
  for (const who of ['iris', 'jan', 'kim', 'lou']) {
    await made(createUser(catalogue, clients.blobs, { email: emailOf(who), id: `user_${who}` }));
    await made(linkIdentity(catalogue, { identity_id: identityOf(who), user_id: `user_${who}` }));
  }
  const { id: account_id } = await made(createAccount(catalogue, { name: 'Household', unlimited_credits: true }));
  const [one, two] = [
    await made(createTeam(catalogue, { account_id, name: 'One' })),
    await made(createTeam(catalogue, { account_id, name: 'Two' })),
  ];
  await made(addOwner(catalogue, { account_id, user_id: 'user_iris' }));
  await made(addMember(catalogue, { team_id: one.id, user_id: 'user_jan', role: 'admin' }));
  await made(addMember(catalogue, { team_id: two.id, user_id: 'user_kim', role: 'member' }));
  const api = await apiIn(world, { public_url: world.origin, now: Date.now });
  const signedIn = async (who: string): Promise<Browser> =>
    browserWith(await sessionOf(world, api, who, { auth_time: Date.now() }));
  const as = { iris: await signedIn('iris'), jan: await signedIn('jan'), kim: await signedIn('kim') };
  await api.close();
  return { account_id, team_id: one.id, as };
};

const people = ({ body }: Told): unknown => body.data;
const person = (who: string) => ({ user_id: `user_${who}`, email: emailOf(who), name: null });

test('people see addresses in their teams; an invitation names its sender', async (t) => {
  t.timeout(450_000);
  const { account_id, team_id, as } = await household();
  const list = `/accounts/${account_id}/people`;
  t.deepEqual(people(await ask(world, as.iris, 'GET', list)), ['iris', 'jan', 'kim'].map(person));
  t.deepEqual(people(await ask(world, as.jan, 'GET', list)), ['iris', 'jan'].map(person));
  t.deepEqual(people(await ask(world, as.kim, 'GET', list)), ['iris', 'kim'].map(person));
  t.is((await ask(world, world.as.eve, 'GET', list)).status, 404);
  t.like((await ask(world, as.jan, 'GET', '/me')).body, person('jan'));

  const invited = await ask(world, as.jan, 'POST', `/teams/${team_id}/invitations`, { role: 'member' });
  const { token } = invited.body;
  const read = (given: unknown) => ask(world, as.kim, 'POST', '/invitations/read', { token: given });
  const shown = {
    ...{ account_name: 'Household', team_name: 'One', role: 'member', invited_by_email: emailOf('jan') },
    invited_by_name: null,
    ...{ expires_at: invited.body.expires_at, state: 'open' },
  };
  t.like(await read(token), { status: 200, body: shown });
  t.deepEqual((await read(token)).body, shown, 'reading changes nothing');
  t.is((await read(`${token}x`)).status, 404);
  t.is((await read('x'.repeat(200))).status, 404);
  t.is((await ask(world, as.jan, 'POST', `/teams/${team_id}/invitations/${invited.body.id}/revoke`)).status, 200);
  t.like((await read(token)).body, { state: 'revoked' });
});
