import test from 'ava';
import type { ApiKey, Membership, Team } from '../../../domain/catalogue/entities.ts';
import { accessOf, isKeyActive } from '../../../platform/access/access.ts';

const key = (change: Partial<ApiKey> = {}): ApiKey => ({
  kind: 'api_key',
  id: 'key_1',
  account_id: 'acc_1',
  user_id: 'user_1',
  team_ids: ['team_2', 'team_1'],
  name: 'CI',
  secret_sha256: 'aa',
  prefix: 'vr_abcd',
  last4: 'wxyz',
  created_at: 1,
  expires_at: null,
  revoked_at: null,
  replaced_by: null,
  ...change,
});
const team = (id: string): Team => ({ kind: 'team', id, account_id: 'acc_1', name: id, created_at: 1 });
const member = (team_id: string, change: Partial<Membership> = {}): Membership => ({
  kind: 'membership',
  id: `${team_id}/user_1`,
  team_id,
  user_id: 'user_1',
  role: 'admin',
  joined_at: 2,
  removed: false,
  ...change,
});
const TEAMS = [team('team_1'), team('team_2'), team('team_3')];
const reached = (...args: Parameters<typeof accessOf>) =>
  [...accessOf(...args).teams.values()].map(({ id, role }) => [id, role]);

test("a user's key reaches the user's current teams with the user's role", (t) => {
  const memberships = [member('team_1'), member('team_2', { role: 'member' }), member('team_3')];
  t.deepEqual(reached(key(), TEAMS, memberships), [
    ['team_2', 'member'],
    ['team_1', 'admin'],
  ]);
  t.deepEqual(reached(key(), TEAMS, [member('team_1', { removed: true }), member('team_2')]), [['team_2', 'admin']]);
  t.deepEqual(reached(key(), TEAMS, [member('team_1', { user_id: 'user_2' })]), []);
});

test('a key without a user reaches its teams without a role', (t) => {
  t.deepEqual(reached(key({ user_id: null }), TEAMS, []), [
    ['team_2', null],
    ['team_1', null],
  ]);
});

test('a key does not reach a missing team', (t) => {
  t.deepEqual(reached(key({ user_id: null }), [team('team_1')], []), [['team_1', null]]);
});

test('a key is valid until it is revoked or expires', (t) => {
  t.true(isKeyActive(key(), 1_000));
  t.false(isKeyActive(key({ revoked_at: 5 }), 1_000));
  t.true(isKeyActive(key({ expires_at: 1_001 }), 1_000));
  t.false(isKeyActive(key({ expires_at: 1_000 }), 1_000));
});
