import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Stack, startStack } from '../../../stack/launcher.ts';
import { type Call, caller } from '../../helpers/renderctl.ts';
import { openStackClients, type StackClients } from '../../helpers/stack-clients.ts';

const DEMO = join(import.meta.dirname, '..', '..', '..', 'examples', 'demo');

let folder: string;
let stack: Stack;
let clients: StackClients;
let renderctl: (...args: readonly string[]) => Promise<Call>;

test.before(async (t) => {
  t.timeout(120_000);
  folder = await mkdtemp(join(tmpdir(), 'renderctl '));
  stack = await startStack({ dataDir: join(folder, 'data'), components: ['projectors'] });
  clients = await openStackClients(stack.env);
  renderctl = caller(stack.env);
});

test.after.always(async () => {
  await clients?.close();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What a command that must succeed answers with `--json`. */
const answer = async (t: ExecutionContext, ...args: readonly string[]) => {
  const { exit_code, stdout, stderr } = await renderctl(...args, '--json');
  t.is(exit_code, 0, stderr);
  return JSON.parse(stdout);
};

/** What a command that must be refused says. */
const refusal = async (t: ExecutionContext, ...args: readonly string[]): Promise<string> => {
  const { exit_code, stdout, stderr } = await renderctl(...args);
  t.is(exit_code, 1, `${stdout}${stderr}`);
  t.is(stdout, '');
  return stderr;
};

const account = async (t: ExecutionContext): Promise<string> =>
  (await answer(t, 'account', 'create', '--name', 'Acme')).id;
const team = async (t: ExecutionContext, of: string): Promise<string> =>
  (await answer(t, 'team', 'create', '--account', of, '--name', 'Film')).id;
const user = async (t: ExecutionContext): Promise<string> => (await answer(t, 'user', 'create')).id;

/** Every byte of the catalogue's log. */
const catalogueLog = async (): Promise<string> => {
  const chunks: Buffer[] = [];
  for (const { partition, start, end } of await clients.records.log.bounds('catalogue-events'))
    for await (const { value } of clients.records.log.replay('catalogue-events', partition, start, end))
      if (value !== null) chunks.push(value);
  return Buffer.concat(chunks).toString('latin1');
};

test.serial('an account, with credits', async (t) => {
  const created = await answer(t, 'account', 'create', '--name', 'Acmé', '--unlimited');
  t.like(created, { name: 'Acmé', unlimited_credits: true, granted_credits: 0 });
  t.regex(created.id, /^acc_[0-9A-HJKMNP-TV-Z]{26}$/);
  const granted = await answer(t, 'credits', 'grant', '--account', created.id, '--credits', '500', '--id', 'grant_may');
  t.is(granted.granted_credits, 500);
  t.deepEqual(await answer(t, 'account', 'show', created.id), granted);
  t.true((await answer(t, 'account', 'list')).data.some(({ id }: { id: string }) => id === created.id));

  t.regex(
    await refusal(t, 'credits', 'grant', '--account', created.id, '--credits', '500', '--id', 'grant_may'),
    /the grant grant_may was made before; it counts once/,
  );
  t.is((await answer(t, 'account', 'show', created.id)).granted_credits, 500);
  t.regex(
    await refusal(t, 'credits', 'grant', '--account', created.id, '--credits', '0'),
    /credits must be a whole number above 0/,
  );
  t.regex(
    await refusal(t, 'credits', 'grant', '--account', 'acc_x', '--credits', '5'),
    /there is no account acc_x; list them with "renderctl account list"/,
  );
  t.regex(
    await refusal(t, 'account', 'create', '--name', 'Twin', '--id', created.id),
    /there is one with that id already/,
  );
  t.regex(await refusal(t, 'account', 'show', 'acc_x'), /there is no account acc_x; list them with/);
});

test.serial('a team with members', async (t) => {
  const acme = await account(t);
  const created = await answer(t, 'team', 'create', '--account', acme, '--name', 'Film');
  t.like(created, { name: 'Film', account_id: acme });
  const ana = await user(t);
  const member = await answer(t, 'member', 'add', created.id, ana, '--role', 'admin');
  t.like(member, { team_id: created.id, user_id: ana, role: 'admin' });
  t.deepEqual((await answer(t, 'member', 'list', '--team', created.id)).data, [member]);
  t.deepEqual((await answer(t, 'team', 'list', '--account', acme)).data, [created]);

  t.regex(
    await refusal(t, 'member', 'add', created.id, ana),
    new RegExp(`user ${ana} is a member of team ${created.id} already`),
  );
  await answer(t, 'member', 'remove', created.id, ana);
  t.deepEqual((await answer(t, 'member', 'list', '--team', created.id)).data, []);
  t.regex(await refusal(t, 'member', 'remove', created.id, ana), /is not a member of team/);
  t.like(await answer(t, 'member', 'add', created.id, ana), { role: 'member' });

  t.regex(
    await refusal(t, 'member', 'add', 'team_x', ana),
    /there is no team team_x; list them with "renderctl team list"/,
  );
  t.regex(await refusal(t, 'member', 'add', created.id, 'user_x'), /there is no user user_x; list them with/);
  t.regex(await refusal(t, 'member', 'list', '--team', 'team_x'), /there is no team team_x; list them with/);
  t.regex(await refusal(t, 'team', 'create', '--account', 'acc_x', '--name', 'T'), /there is no account acc_x/);
});

test.serial('a user, whose address never enters the log', async (t) => {
  const created = await answer(t, 'user', 'create', '--email', 'ana.quiet@example.org');
  t.is(created.email, 'ana.quiet@example.org');
  t.deepEqual(
    (await answer(t, 'user', 'list')).data.find(({ id }: { id: string }) => id === created.id),
    created,
  );
  const log = await catalogueLog();
  t.true(log.includes(created.id));
  t.false(log.includes('ana.quiet'));
});

test.serial('a key, shown once', async (t) => {
  const acme = await account(t);
  const film = await team(t, acme);
  const issued = await answer(t, 'key', 'create', '--account', acme, '--team', film, '--name', 'CI');
  t.regex(issued.key, /^vr_[0-9A-Za-z]{49}$/);
  const { key, ...shown } = issued;
  t.deepEqual((await answer(t, 'key', 'list', '--account', acme)).data, [shown]);
  t.like(shown, { name: 'CI', prefix: key.slice(0, 7), last4: key.slice(-4), revoked_at: null, expires_at: null });
  t.false((await catalogueLog()).includes(key));

  const dated = await answer(t, 'key', 'create', '--account', acme, '--team', film, '--expires', '2027-01-31');
  t.is(dated.expires_at, Date.UTC(2027, 0, 31));

  t.true((await answer(t, 'key', 'revoke', issued.id)).revoked_at > 0);
  t.regex(await refusal(t, 'key', 'revoke', issued.id), /was revoked before/);
  t.regex(await refusal(t, 'key', 'revoke', 'key_x'), /there is no key key_x; list them with "renderctl key list"/);

  const other = await account(t);
  const create = ['key', 'create', '--account'];
  t.regex(await refusal(t, ...create, other, '--team', film), /does not belong to account/);
  t.regex(await refusal(t, ...create, acme, '--team', film, '--team', 'team_x'), /one of the teams .* does not exist/);
  t.regex(await refusal(t, ...create, 'acc_x', '--team', film), /there is no account acc_x/);
  t.regex(await refusal(t, ...create, acme, '--team', film, '--user', 'user_x'), /there is no user user_x/);
});

test.serial('a project, imported and revised', async (t) => {
  const film = await team(t, await account(t));
  const first = await answer(t, 'project', 'import', DEMO, '--team', film);
  t.like(first, { team_id: film, version: 1, added: true });

  const again = await answer(t, 'project', 'import', DEMO, '--project', first.id);
  t.like(again, { version: 1, added: false });

  const copy = join(folder, 'a copy');
  await cp(DEMO, copy, { recursive: true });
  const path = join(copy, 'project.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace(first.name, 'Winter trails'));
  const second = await answer(t, 'project', 'import', copy, '--project', first.id, '--base-version', '1');
  t.like(second, { id: first.id, version: 2, name: 'Winter trails', added: true });

  const shown = await answer(t, 'project', 'show', first.id);
  t.is(shown.document.name, 'Winter trails');
  t.true(shown.document.assets.every(({ sha256 }: { sha256: string }) => /^[0-9a-f]{64}$/.test(sha256)));
  t.deepEqual(
    (await answer(t, 'project', 'list', '--team', film)).data.map(({ id }: { id: string }) => id),
    [first.id],
  );

  t.regex(
    await refusal(t, 'project', 'import', DEMO, '--project', first.id, '--base-version', '1'),
    /no longer at version 1: someone else added one/,
  );
  t.regex(await refusal(t, 'project', 'import', DEMO, '--team', 'team_x'), /there is no team team_x/);
  t.regex(await refusal(t, 'project', 'import', DEMO, '--project', 'proj_x'), /there is no project proj_x/);
  t.regex(await refusal(t, 'project', 'show', 'proj_x'), /there is no project proj_x/);
  t.regex(await refusal(t, 'project', 'create', '--team', 'team_x', '--name', 'P'), /there is no team team_x/);

  await writeFile(path, '{"name":""}');
  const told = await refusal(t, 'project', 'import', copy, '--team', film);
  t.regex(told, /project\.json has \d faults, nothing was imported\n {2}name: /);
  t.is((await answer(t, 'project', 'list', '--team', film)).data.length, 1);
});

test.serial('a change is made in the name of a role, which is refused if it may name a person', async (t) => {
  const asSomeone = (operator: string) => caller({ ...stack.env, RENDERCTL_OPERATOR: operator });
  const { exit_code } = await asSomeone('on-call')('account', 'create', '--name', 'Acme');
  t.is(exit_code, 0);
  t.true((await catalogueLog()).includes('operator:on-call'));
  const refused = await asSomeone('Ana Quiet')('account', 'create', '--name', 'Acme');
  t.is(refused.exit_code, 2);
  t.regex(refused.stderr, /RENDERCTL_OPERATOR must be a role/);
});

test.serial('an empty project', async (t) => {
  const film = await team(t, await account(t));
  const created = await answer(t, 'project', 'create', '--team', film, '--name', 'Plain');
  t.like(created, { name: 'Plain', version: 0 });
  const { stdout } = await renderctl('project', 'show', created.id);
  t.regex(stdout, /It has no version yet/);
});

test.serial('a change that the read model does not show in time says where it stands in the log', async (t) => {
  t.timeout(60_000);
  stack.component('projectors').kill('SIGSTOP');
  const told = await refusal(t, 'account', 'create', '--name', 'Late');
  stack.component('projectors').kill('SIGCONT');
  t.regex(told, /it stands in the log at offset \d+, but the read model does not show it after 15 s/);
});
