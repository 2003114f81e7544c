import test from 'ava';
import {
  isGrantMissing,
  type QuickstartEntities,
  type QuickstartRequest,
  quickstartConflictOf,
} from '../../../catalogue/quickstart-conflict.ts';

const WANTED: QuickstartRequest = { word: 'demo', name: 'Demo', credits: null };
const NOTHING: QuickstartEntities = { account: null, grant: null, team: null, project: null };
const account = {
  ...{ kind: 'account' as const, id: 'acc_demo', name: 'Demo', unlimited_credits: false },
  ...{ granted_credits: 0, created_at: 1 },
};
const grant = {
  ...{
    kind: 'credit_grant' as const,
    id: 'acc_demo/grant_demo',
    account_id: 'acc_demo',
    credits: 1_000,
    created_at: 2,
  },
};
const team = { kind: 'team' as const, id: 'team_demo', account_id: 'acc_demo', name: 'Demo', created_at: 3 };
const project = {
  ...{ kind: 'project' as const, id: 'proj_demo', team_id: 'team_demo', name: 'P', created_by: null },
  ...{ created_at: 4, updated_at: null, version: 1 },
};

test('a quickstart continues with missing, incomplete or existing objects', (t) => {
  for (const found of [
    NOTHING,
    { ...NOTHING, account },
    { ...NOTHING, account, grant },
    { ...NOTHING, account, grant, team: { ...team, name: 'Renamed' } },
    { account, grant, team, project: { ...project, version: 0 } },
    { account, grant, team, project },
  ])
    t.is(quickstartConflictOf(WANTED, found), null);
  t.is(quickstartConflictOf({ ...WANTED, credits: 1_000 }, { account, grant, team, project }), null);
  t.is(
    quickstartConflictOf(
      { ...WANTED, credits: 'unlimited' },
      { ...NOTHING, account: { ...account, unlimited_credits: true } },
    ),
    null,
  );
});

test('erased objects are not created again: another id is required', (t) => {
  const erased = { at: 9, by: 'operator:ops', event_id: 'e' };
  const all = { account, grant, team, project };
  t.deepEqual(quickstartConflictOf(WANTED, { ...all, account: { ...account, name: '', erased } }), {
    ...{ tag: 'erased_before', id: 'acc_demo' },
  });
  t.deepEqual(quickstartConflictOf(WANTED, { ...all, project: { ...project, name: null, erased } }), {
    ...{ tag: 'erased_before', id: 'proj_demo' },
  });
});

test('existing objects of another kind are not changed', (t) => {
  const all = { account, grant, team, project };
  t.deepEqual(quickstartConflictOf(WANTED, { ...all, account: { ...account, name: 'Acme' } }), {
    ...{ tag: 'another_account', account_id: 'acc_demo', name: 'Acme' },
  });
  t.deepEqual(quickstartConflictOf({ ...WANTED, credits: 'unlimited' }, all), {
    ...{ tag: 'account_has_limit', account_id: 'acc_demo' },
  });
  t.deepEqual(quickstartConflictOf({ ...WANTED, credits: 5 }, all), {
    ...{ tag: 'another_grant', account_id: 'acc_demo', grant_id: 'grant_demo', credits: 1_000 },
  });
  t.deepEqual(quickstartConflictOf(WANTED, { ...NOTHING, team: { ...team, account_id: 'acc_1' } }), {
    ...{ tag: 'team_of_another_account', team_id: 'team_demo', account_id: 'acc_1' },
  });
  t.deepEqual(quickstartConflictOf(WANTED, { ...all, project: { ...project, team_id: 'team_1' } }), {
    ...{ tag: 'project_of_another_team', project_id: 'proj_demo', team_id: 'team_1' },
  });
});

test('credits are granted once, and without a limit only on request', (t) => {
  const unlimited = { ...account, unlimited_credits: true };
  t.true(isGrantMissing(WANTED, NOTHING));
  t.true(isGrantMissing(WANTED, { ...NOTHING, account }));
  t.false(isGrantMissing(WANTED, { ...NOTHING, account, grant }));
  t.false(isGrantMissing(WANTED, { ...NOTHING, account: unlimited }));
  t.false(isGrantMissing({ ...WANTED, credits: 'unlimited' }, NOTHING));
  t.true(isGrantMissing({ ...WANTED, credits: 5 }, { ...NOTHING, account: unlimited }));
});
