import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { caller } from '../../../helpers/renderctl.ts';
import { seededStack } from './_seeded-stack.ts';

const SMALL_PROJECT = join(import.meta.dirname, '..', '..', '..', '..', 'bench', 'project');

let env: Readonly<Record<string, string>>;

test.before(async (t) => {
  t.timeout(240_000);
  ({ env } = await seededStack());
});

const renderctl = (...args: readonly string[]) => caller(env)(...args);

const json = async (t: ExecutionContext, ...args: readonly string[]) => {
  const { exit_code, stdout, stderr } = await renderctl(...args, '--json');
  t.is(exit_code, 0, stderr);
  return JSON.parse(stdout);
};

test.serial('one command creates everything for a first render, and a repeat changes nothing', async (t) => {
  t.timeout(180_000);
  const first = await renderctl('quickstart');
  t.is(first.exit_code, 0, first.stderr);
  t.regex(first.stdout, /account +acc_demo +Demo, 1000 credits granted\n/);
  const [api_key = ''] = /^vr_\w+$/m.exec(first.stdout) ?? [];
  t.true(first.stdout.includes(`export RENDERCTL_API_KEY=${api_key}\n`));

  const [, create = ''] = /^ {2}renderctl (render create .*) --watch$/m.exec(first.stdout) ?? [];
  const render = await pollUntil('the key works', async () => {
    const made = await caller({ ...env, RENDERCTL_API_KEY: api_key })(...create.split(' '), '--json');
    return made.exit_code === 0 && JSON.parse(made.stdout);
  });
  t.like(render, { status: 'initializing', name: 'First', project: { id: 'proj_demo', team: 'team_demo' } });
  await pollUntil(
    'its credits are reserved',
    async () => (await json(t, 'account', 'show', 'acc_demo')).reserved_credits > 0,
  );

  const again = await json(t, 'quickstart');
  t.like(again, { account: { id: 'acc_demo' }, project: { version: 1 }, api_key: null, repeated: true });
  const told = await renderctl('quickstart');
  t.false(told.stdout.includes(api_key));
  t.true(told.stdout.includes(`renderctl key rotate ${again.key.id} --overlap 0`));
  t.regex(told.stdout, /Nothing changed: this is already the current state\.\n$/);
  t.is((await json(t, 'account', 'grants', 'acc_demo')).data.length, 1);
  t.is((await json(t, 'key', 'list', '--account', 'acc_demo')).data.length, 1);
});

test.serial('an interrupted quickstart continues, and a key that stopped working is replaced', async (t) => {
  t.timeout(180_000);
  await json(t, 'account', 'create', '--name', 'Half', '--id', 'acc_half');
  await json(t, 'team', 'create', '--account', 'acc_half', '--name', 'Half', '--id', 'team_half');
  await json(t, 'project', 'create', '--team', 'team_half', '--name', 'Cut off', '--id', 'proj_half');
  const half = ['quickstart', SMALL_PROJECT, '--id', 'half', '--name', 'Half'];
  const whole = await json(t, ...half, '--credits', '7');
  t.like(whole, { account: { granted_credits: 7 }, project: { id: 'proj_half', version: 1 }, repeated: undefined });
  t.regex(whole.api_key, /^vr_/);

  await json(t, 'key', 'revoke', whole.key.id);
  const another = await json(t, ...half);
  t.like(another, { account: { granted_credits: 7 }, project: { version: 1 } });
  t.regex(another.api_key, /^vr_/);
  t.not(another.key.id, whole.key.id);
});

test.serial('quickstart refuses resources of another account before it creates anything', async (t) => {
  await json(t, 'account', 'create', '--name', 'Other', '--id', 'acc_taken');
  const refused = await renderctl('quickstart', SMALL_PROJECT, '--id', 'taken');
  t.is(refused.exit_code, 1);
  t.regex(refused.stderr, /acc_taken already exists with the name "Other"; nothing was created; use another --id/);
  t.is((await json(t, 'account', 'grants', 'acc_taken')).data.length, 0);
  t.deepEqual((await json(t, 'team', 'list', '--account', 'acc_taken')).data, []);
  t.regex((await renderctl('quickstart', '/nowhere', '--id', 'none')).stderr, /nowhere.* cannot be read/);
  t.regex((await renderctl('team', 'list', '--account', 'acc_none')).stdout, /^id/);
  t.regex((await renderctl('account', 'show', 'acc_none')).stderr, /there is no account acc_none/);
});
