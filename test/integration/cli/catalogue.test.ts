import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { createAccount, renameAccount } from '../../../catalogue/accounts.ts';
import type { CatalogueWriter } from '../../../catalogue/change.ts';
import { rotateSecret } from '../../../catalogue/endpoints.ts';
import type { CatalogueFault } from '../../../catalogue/fault.ts';
import { linkIdentity } from '../../../catalogue/identities.ts';
import { newEventMeta } from '../../../catalogue/identity.ts';
import { acceptInvitation } from '../../../catalogue/invitations.ts';
import { createKey } from '../../../catalogue/keys.ts';
import { addMember, removeMember } from '../../../catalogue/members.ts';
import { createProject, renameProject } from '../../../catalogue/projects.ts';
import { createTeam, renameTeam } from '../../../catalogue/teams.ts';
import { storeStatedProfile } from '../../../catalogue/users.ts';
import { cliFault } from '../../../cli/catalogue/catalogue-fault.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { actor } from '../../../domain/event/meta.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { openBlobStore } from '../../../platform/blob-store/azure-blob-store.ts';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { BLOB_STORE } from '../../../platform/configuration/parts.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { encodeFrame } from '../../../platform/records/frame.ts';
import { schemaEntry } from '../../../platform/records/saved-schemas.ts';
import type {
  KeyLastUsedDocument,
  UserDocument,
  WebhookEndpointDocument,
} from '../../../read-models/catalogue/documents.ts';
import { COLLECTIONS, catalogueCollections } from '../../../read-models/collections.ts';
import type { WebhookHealthDocument } from '../../../read-models/deliveries/documents.ts';
import { quarantineCollection } from '../../../read-models/quarantine.ts';
import { storedSchemaVersions } from '../../../schemas/avro-history.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { endpointOf, openedSecretsOf } from '../../helpers/opened-secrets.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { assigned, completed, failed, finished, prepared, progressed, requested } from '../../helpers/render-events.ts';
import { type Call, caller } from '../../helpers/renderctl.ts';
import { testCatalogue } from '../../helpers/test-catalogue.ts';
import { encodeOnce } from '../../helpers/test-media.ts';
import { startTestStack } from '../../helpers/test-stack.ts';
import { bearer, send } from '../api/_client.ts';

const DEMO = join(import.meta.dirname, '..', '..', '..', 'examples', 'demo');

const HOOK = 'https://127.0.0.1:8443/hooks?of=renders';

let folder: string;
let stack: Stack;
let clients: StackClients;
let blobs: BlobStore;

test.before(async (t) => {
  t.timeout(240_000);
  folder = await mkdtemp(join(tmpdir(), 'renderctl '));
  stack = await startTestStack({
    dataDir: join(folder, 'data'),
    components: ['projectors', 'query-api'],
  });
  clients = await openStackClients(stack.env);
  const settings = decodeConfiguration(stack.env, { blobs: BLOB_STORE });
  if (E.isLeft(settings)) throw new Error(settings.left.join('\n'));
  blobs = openBlobStore(settings.right.blobs);
});

test.after.always(async () => {
  await clients?.close();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

const operators = new Map<string, string>();

/** The operator of a test, different for each test, so that its events can be found. */
const operatorOf = ({ title }: ExecutionContext): string => {
  const operator = operators.get(title) ?? `test-${operators.size + 1}`;
  operators.set(title, operator);
  return operator;
};

const call = (t: ExecutionContext, ...args: readonly string[]): Promise<Call> =>
  caller({ ...stack.env, RENDERCTL_OPERATOR: operatorOf(t) })(...args);

/** The `--json` answer of a command that must succeed. */
const answer = async (t: ExecutionContext, ...args: readonly string[]) => {
  const { exit_code, stdout, stderr } = await call(t, ...args, '--json');
  t.is(exit_code, 0, stderr);
  return JSON.parse(stdout);
};

const endOfLog = async (): Promise<number> => (await clients.records.log.bounds('catalogue-events'))[0]?.end ?? 0;

/** Asserts that the test has appended nothing since the log ended there. Concurrent tests may have. */
const nothingAppended = async (t: ExecutionContext, since: number, what: string): Promise<void> => {
  const appended: unknown[] = [];
  for await (const { value } of clients.records.log.replay('catalogue-events', 0, since, await endOfLog())) {
    const decoded = await clients.records.decode(value);
    const is_other = decoded.tag === 'record' && decoded.record.meta.actor !== `operator:${operatorOf(t)}`;
    if (!is_other) appended.push(decoded);
  }
  t.deepEqual(appended, [], what);
};

/** The message of a command that must be refused and append nothing. */
const refusal = async (t: ExecutionContext, ...args: readonly string[]): Promise<string> => {
  const before = await endOfLog();
  const { exit_code, stdout, stderr } = await call(t, ...args);
  t.is(exit_code, 1, `${stdout}${stderr}`);
  t.is(stdout, '');
  await nothingAppended(t, before, args.join(' '));
  return stderr;
};

// It runs before the others, which append nothing that stops a partition.
test.serial('renderctl lists, explains and resumes a partition that a missing schema stopped', async (t) => {
  t.timeout(240_000);
  const { log } = clients.records;
  const schema_id = 900_001;
  const appended = await log.append({
    ...{ topic: 'render-events', partition: 0, key: 'rend_0' },
    value: encodeFrame(schema_id, Buffer.from('no record at all')),
  });
  if (E.isLeft(appended)) return t.fail(appended.left.message);
  const { offset } = appended.right;
  const record = `render-events/0/${offset}`;
  const reason = `${record}: the registry has no schema ${schema_id}`;
  const [stopped] = await pollUntil('it is listed', async () => {
    const { data } = await answer(t, 'partition', 'list');
    return data.length === 1 ? data : null;
  });
  t.like(stopped, { partition: 'render-events/0', offset, reason });
  t.regex((await call(t, 'partition', 'list')).stdout, /group .*\n.*render-events\/0 .*the registry has no schema/);
  t.regex(await refusal(t, 'partition', 'resume', stopped.group, 'render-events/0'), /stopped again: .* has no schema/);
  t.regex(await refusal(t, 'partition', 'resume', stopped.group, 'render-events/1'), /there is no stopped partition/);

  // The schema is registered, as a deploy step does, but the bytes do not match it.
  const subject = 'rendering.events.RenderRequested';
  const saved = { id: schema_id, subject, version: 1, schema: storedSchemaVersions(subject)[0]?.text ?? '' };
  const [key, text] = schemaEntry(saved);
  t.true(E.isRight(await log.append({ topic: 'deployment', key, value: Buffer.from(text) })));
  await pollUntil(
    'it continues by itself',
    async () => (await answer(t, 'partition', 'list')).data.length === 0,
    60_000,
  );

  await pollUntil('it is quarantined', async () => (await answer(t, 'quarantine', 'list')).data.length === 1);
  t.like(await answer(t, 'quarantine', 'list', '--topic', 'render-events', '--limit', '5'), { data: [{ record }] });
  t.deepEqual((await answer(t, 'quarantine', 'list', '--topic', 'render-status')).data, []);
  t.regex(
    (await call(t, 'quarantine', 'show', record)).stdout,
    /key +rend_0\n.*bytes kept +21\nbegins with +00000dbba1/,
  );
  const [tried] = (await answer(t, 'quarantine', 'retry')).data;
  t.like(tried, { record, now: 'does not decode' });
  t.regex((await call(t, 'quarantine', 'retry', record)).stdout, /No record can be folded yet/);

  // A valid record that an earlier version of the code quarantined.
  const [sample] = CATALOGUE;
  const sound = sample === undefined ? null : await clients.records.encode('catalogue-events', sample);
  if (sound === null || E.isLeft(sound)) return t.fail('there is no sample');
  const other = await log.append({ topic: 'render-commands', key: 'wkr_0', value: sound.right });
  if (E.isLeft(other)) return t.fail(other.left.message);
  const found = { topic: 'render-commands', partition: 0, offset: other.right.offset };
  const _id = `render-commands/0/${other.right.offset}`;
  const about = { reason: 'not decodable', key_base64: null, value_base64: null, found_at: new Date() };
  await quarantineCollection(clients.store.db).insertOne({ _id, ...found, ...about });
  const { stdout } = await call(t, 'quarantine', 'retry', _id);
  t.regex(stdout, /decodes/);
  t.regex(stdout, /One record can be folded now. To include it, rebuild the read models/);
});

const account = async (t: ExecutionContext): Promise<string> =>
  (await answer(t, 'account', 'create', '--name', 'Acme')).id;
const team = async (t: ExecutionContext, of: string): Promise<string> =>
  (await answer(t, 'team', 'create', '--account', of, '--name', 'Film')).id;
const user = async (t: ExecutionContext): Promise<string> => (await answer(t, 'user', 'create')).id;

const ours = (): CatalogueWriter => testCatalogue(clients);

/** Every byte of the catalogue's log. */
const catalogueLog = async (): Promise<string> => {
  const chunks: Buffer[] = [];
  for (const { partition, start, end } of await clients.records.log.bounds('catalogue-events'))
    for await (const { value } of clients.records.log.replay('catalogue-events', partition, start, end))
      if (value !== null) chunks.push(value);
  return Buffer.concat(chunks).toString('latin1');
};

/** A repeated command gives the same answer, says that it is a repeat, and appends nothing. */
const again = async (t: ExecutionContext, first: object, ...args: readonly string[]): Promise<void> => {
  const before = await endOfLog();
  t.deepEqual(await answer(t, ...args), { ...first, repeated: true });
  t.regex((await call(t, ...args)).stdout, /Nothing changed: this is already the current state\.\n$/);
  await nothingAppended(t, before, args.join(' '));
};

test.serial('a refused command appends nothing', async (t) => {
  const [acme, other] = [await account(t), await account(t)];
  const film = await team(t, acme);
  t.regex(await refusal(t, 'project', 'import', DEMO, '--team', 'team_nope'), /there is no team team_nope/);
  t.regex(await refusal(t, 'account', 'grant', acme, '-5'), /credits must be a whole number above 0/);
  t.regex(await refusal(t, 'key', 'create', '--account', other, '--team', film), /does not belong to account/);
});

test.serial('new names with hidden characters are refused, and old ones can be changed', async (t) => {
  const catalogue = ours();
  const name = 'Ac\u202eme';
  const message = 'the name must not contain characters that turn the direction of text (U+202E at position 3)';
  const of_acme = await account(t);
  const film = await team(t, of_acme);
  const wanted_key = { account_id: of_acme, user_id: null, team_ids: [film], expires_at: null };
  const before = await catalogueLog();
  for (const refused of [
    createAccount(catalogue, { name, unlimited_credits: false }),
    renameAccount(catalogue, of_acme, name),
    createTeam(catalogue, { account_id: of_acme, name }),
    renameTeam(catalogue, film, name),
    createKey(catalogue, { ...wanted_key, name }),
    createProject(catalogue, clients.blobs, { team_id: film, name, created_by: null }),
    renameProject(catalogue, clients.blobs, 'proj_any', name),
  ]) {
    const answered: E.Either<CatalogueFault, unknown> = await refused;
    t.deepEqual(E.mapLeft(cliFault)(answered), E.left({ tag: 'refused', reason: 'name_refused', message }));
  }
  t.is(await catalogueLog(), before);

  const meta = newEventMeta({ actor: 'cli:of-old', clock: SYSTEM_CLOCK });
  const appended = await clients.records.append(
    'catalogue-events',
    film,
    { type: 'TeamRenamed', rules: 0, meta, team_id: film, name },
    { partition: 0 },
  );
  t.true(E.isRight(appended));
  await pollUntil('the name of old is shown', async () =>
    (await answer(t, 'team', 'list', '--account', of_acme)).data.some((one: { name: string }) => one.name === name),
  );
  t.is((await answer(t, 'team', 'rename', film, 'Film')).name, 'Film');
});

/** A catalogue in which another change is appended between the decision and the append. */
const outrun = (catalogue: CatalogueWriter, rival: CatalogueEvent): CatalogueWriter => ({
  ...catalogue,
  records: {
    ...catalogue.records,
    append: async (...args) => {
      await catalogue.records.append('catalogue-events', 'rival', rival, { partition: 0 });
      return catalogue.records.append(...args);
    },
  },
});

test.serial('the first of two concurrent changes wins, and the second is refused', async (t) => {
  const catalogue = { ...ours(), seal: async (_id: string, secret: string) => `v1.${secret}` };
  const rival = {
    type: 'AccountCreated',
    rules: 0,
    meta: newEventMeta({ actor: 'cli:rival', clock: SYSTEM_CLOCK }),
    unlimited_credits: false,
  } as const;
  const wanted = { name: 'Ours', unlimited_credits: false };

  const theirs = { ...rival, account_id: 'acc_theirs', name: 'Theirs' };
  const refused = await createAccount(outrun(catalogue, theirs), { ...wanted, id: 'acc_theirs' });
  const end = await endOfLog();
  t.like(refused, { left: { tag: 'illegal', reason: 'already_exists', ignored_at: end - 1 } });

  const same = { ...rival, account_id: 'acc_same', name: 'Ours' };
  const repeated = await createAccount(outrun(catalogue, same), { ...wanted, id: 'acc_same' });
  t.like(repeated, { right: { id: 'acc_same', name: 'Ours', repeated: true } });

  const film = await team(t, 'acc_same');
  const { id } = await answer(t, 'webhook', 'create', film, HOOK, '--all-events');
  // Another rotation follows at once, and both are folded before the command reads the result.
  const rotated = await rotateSecret(
    {
      ...catalogue,
      read_model: {
        ...catalogue.read_model,
        outcomeOf: async (offset) =>
          (await endOfLog()) > offset + 1 ? await catalogue.read_model.outcomeOf(offset + 1) : null,
      },
      records: {
        ...catalogue.records,
        append: async (...args) => {
          const appended = await catalogue.records.append(...args);
          const meta = newEventMeta({ actor: 'cli:rival', clock: SYSTEM_CLOCK });
          const later = { type: 'WebhookSecretRotated', rules: 0, meta, endpoint_id: id, secret: 'v1.later' } as const;
          await catalogue.records.append('catalogue-events', id, later, { partition: 0 });
          return appended;
        },
      },
    },
    id,
  );
  t.deepEqual(rotated, E.left({ tag: 'secret_replaced', endpoint_id: id }));
});

test.serial('an account is created, renamed, given credits and made unlimited', async (t) => {
  const created = await answer(t, 'account', 'create', '--name', 'Acmé', '--unlimited');
  t.like(created, { name: 'Acmé', unlimited_credits: true, granted_credits: 0 });
  t.regex(created.id, /^acc_[0-9A-HJKMNP-TV-Z]{26}$/);
  const grant = ['account', 'grant', created.id, '500', '--id', 'grant_may'];
  const granted = await answer(t, ...grant);
  t.is(granted.granted_credits, 500);
  await again(t, granted, ...grant);
  t.is((await answer(t, 'account', 'grant', created.id, '5')).granted_credits, 505);

  const grants = (await answer(t, 'account', 'grants', created.id)).data;
  t.like(grants, { length: 2, 0: { id: 'grant_may', account_id: created.id, credits: 500 }, 1: { credits: 5 } });
  t.true(grants.every(({ granted_by }: { granted_by: string }) => granted_by === `operator:${operatorOf(t)}`));
  t.regex(
    (await call(t, 'account', 'grants', created.id)).stdout,
    /grant_may +500 +\S+Z +operator:test-\d+ \(claimed\)\n/,
  );

  const renamed = await answer(t, 'account', 'rename', created.id, 'Acmé Films');
  t.deepEqual(renamed, { ...granted, name: 'Acmé Films', granted_credits: 505 });
  await again(t, renamed, 'account', 'rename', created.id, 'Acmé Films');
  const limited = await answer(t, 'account', 'unlimited', created.id, 'off');
  t.false(limited.unlimited_credits);
  await again(t, limited, 'account', 'unlimited', created.id, 'off');
  t.true((await answer(t, 'account', 'unlimited', created.id, 'on')).unlimited_credits);
  t.deepEqual(
    (await answer(t, 'account', 'list')).data.find(({ id }: { id: string }) => id === created.id),
    { ...renamed, unlimited_credits: true },
  );

  t.regex(
    await refusal(t, 'account', 'grant', created.id, '600', '--id', 'grant_may'),
    /grant grant_may already exists with a different number of credits; use another --id, or omit it/,
  );
  t.regex(await refusal(t, 'account', 'grant', created.id, '0'), /credits must be a whole number above 0/);
  for (const command of [
    ['grant', 'acc_x', '5'],
    ['rename', 'acc_x', 'X'],
    ['unlimited', 'acc_x', 'on'],
    ['show', 'acc_x'],
    ['grants', 'acc_x'],
    ['statement', 'acc_x'],
  ])
    t.regex(
      await refusal(t, 'account', ...command),
      /there is no account acc_x; list them with "renderctl account list"/,
    );
});

test.serial('an account shows held, spent and remaining credits', async (t) => {
  const acme = await account(t);
  await answer(t, 'account', 'grant', acme, '500');
  t.like(await answer(t, 'account', 'show', acme), { charged_credits: 0, reserved_credits: 0, left_credits: 500 });
  const append = async (events: readonly RenderEvent[], render_id: string): Promise<void> => {
    for (const event of events) {
      const appended = await clients.records.append('render-events', render_id, { ...event, render_id });
      if (E.isLeft(appended)) throw new Error(appended.left.message);
    }
  };
  const request = requested({ account_id: acme, reserved_credits: 40 });
  const life = [request, prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];
  await append(life, 'rend_complete');
  await append([request, failed('preparer:prep_1', null)], 'rend_failed');
  await append([request], 'rend_under_way');
  const credits = { granted_credits: 500, charged_credits: prepared.price_credits, reserved_credits: 40 };
  await pollUntil('both renders are in the ledger', async () => {
    const { charged_credits, reserved_credits } = await answer(t, 'account', 'show', acme);
    return charged_credits === credits.charged_credits && reserved_credits === credits.reserved_credits;
  });
  const left_credits = 500 - prepared.price_credits - 40;
  t.like(await answer(t, 'account', 'show', acme), { ...credits, left_credits });
  t.regex(
    (await call(t, 'account', 'show', acme)).stdout,
    new RegExp(`500 +${prepared.price_credits} +40 +${left_credits}\\n$`),
  );

  const statement = await answer(t, 'account', 'statement', acme);
  t.like(statement, {
    account: { id: acme },
    opening_balance: 0,
    data: {
      length: 2,
      0: { type: 'grant', credits: 500, balance: 500, granted_by: `operator:${operatorOf(t)}` },
      1: { type: 'charge', credits: prepared.price_credits, render_id: 'rend_complete', render_name: request.name },
    },
    closing_balance: 500 - prepared.price_credits,
  });
  const since = new Date(statement.data[1].at).toISOString();
  const csv = await call(t, 'account', 'statement', acme, '--since', since, '--csv');
  t.regex(
    csv.stdout,
    /^at,type,credits,balance,.*\n\S+,opening_balance,500,500,.*\n\S+,charge,-\d+,\d+,,,rend_complete,/,
  );
  t.is(csv.stdout.trimEnd().split('\n').length, 3);
  t.is((await answer(t, 'account', 'statement', acme, '--until', since)).data.length, 1);
  t.regex(
    (await call(t, 'account', 'statement', acme, '--since', '1h', '--until', '2h')).stderr,
    /must be after --since/,
  );

  const stats = await answer(t, 'stats', acme);
  t.like(stats.total, { requested: 3, completed: 1, failed: 1, charged_credits: prepared.price_credits });
  t.like(stats.now, { initializing: 1, processing: 0, complete: 1, failed: 1 });
  t.regex((await call(t, 'stats', acme)).stdout, /\ntotal +3 +1 +1 .*\n\nfailures: font_unknown 1\nnow: 1 init/);
  t.regex((await call(t, 'stats', acme, '--csv')).stdout, /^at,requested,.*\n\S+:00:00\.000Z,\d,/);
  t.like(await answer(t, 'audit', '--account', acme), { entries: { length: 2 }, next: null });
  const requests = await answer(t, 'audit', '--account', acme, '--with-renders', '--actor', 'key:key_1');
  t.deepEqual(requests.entries.map(({ ids }: { ids: { render_id: string } }) => ids.render_id).toSorted(), [
    'rend_complete',
    'rend_failed',
    'rend_under_way',
  ]);

  await answer(t, 'account', 'unlimited', acme, 'on');
  t.like(await answer(t, 'account', 'show', acme), { ...credits, left_credits: null });
  t.regex((await call(t, 'account', 'show', acme)).stdout, / 40 +no limit\n$/);
});

test.serial('the audit lists who changed what, in pages and as CSV', async (t) => {
  const acme = await account(t);
  const film = await answer(t, 'team', 'create', '--account', acme, '--name', '=1+1');
  const ana = await user(t);
  await answer(t, 'member', 'add', film.id, ana);
  const operator = `operator:${operatorOf(t)}`;
  const first = await answer(t, 'audit', '--team', film.id, '--limit', '1');
  t.like(first.entries, {
    ...{ length: 1 },
    0: { kind: 'MemberAdded', actor: operator, ids: { team_id: film.id, user_id: ana }, details: { role: 'member' } },
  });
  const second = await answer(t, 'audit', '--team', film.id, '--limit', '1', '--after', first.next);
  t.like(second, { entries: { length: 1, 0: { kind: 'TeamCreated', account_id: acme } }, next: null });
  t.regex(
    (await call(t, 'audit', '--team', film.id)).stdout,
    /operator:\S+ \(claimed\) +added the user to the team +team_id=/,
  );
  const { stdout } = await call(t, 'audit', '--actor', operator, '--since', '1h', '--csv');
  t.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(',')[2]),
    ['kind', 'MemberAdded', 'UserRegistered', 'TeamCreated', 'AccountCreated'],
  );
  t.false(stdout.includes('1+1'));
  t.like(await answer(t, 'audit', '--kind', 'UserRegistered', '--actor', operator), { entries: { length: 1 } });

  t.regex(await refusal(t, 'audit', '--account', 'acc_x'), /there is no account acc_x/);
  t.regex(await refusal(t, 'stats', 'team_x'), /there is no team team_x/);
  const wrong = await call(t, 'audit', '--since', '1h', '--until', '2h');
  t.is(wrong.exit_code, 2);
  t.regex(wrong.stderr, /must be after --since/);
});

test.serial('a trace of an id shows all changes to, in and by that entity', async (t) => {
  const acme = await account(t);
  const film = await team(t, acme);
  const [ana, noel] = [await user(t), await user(t)];
  await answer(t, 'member', 'add', film, ana, '--role', 'admin');
  const key = await answer(t, 'key', 'create', '--account', acme, '--team', film, '--name', 'CI');
  const project = await answer(t, 'project', 'create', '--team', film, '--name', 'Sale');
  const endpoint = await answer(t, 'webhook', 'create', film, HOOK, '--all-events');
  await answer(t, 'webhook', 'disable', endpoint.id);
  await answer(t, 'key', 'revoke', key.id);
  const meta = newEventMeta({ actor: actor('user', noel), clock: SYSTEM_CLOCK });
  const renamed = { type: 'TeamRenamed', rules: 1, meta, team_id: film, name: 'Mine' } as const;
  t.true(E.isRight(await clients.records.append('catalogue-events', film, renamed)));

  const expected = {
    [acme]: { kind: 'account', types: /^AccountCreated .*TeamCreated .*ApiKeyRevoked TeamRenamed$/, status: 'active' },
    [film]: { kind: 'team', types: /^TeamCreated MemberAdded ApiKeyIssued .*TeamRenamed$/, status: 'active' },
    [ana]: { kind: 'user', types: /^UserRegistered MemberAdded$/, status: 'active' },
    [noel]: { kind: 'user', types: /^UserRegistered TeamRenamed$/, status: 'active' },
    [key.id]: { kind: 'key', types: /^ApiKeyIssued ApiKeyRevoked$/, status: 'revoked' },
    [project.id]: { kind: 'project', types: /^ProjectCreated( ProjectVersionAdded)?$/, status: /^(no )?version( 1)?$/ },
    [endpoint.id]: { kind: 'endpoint', types: /^WebhookEndpointCreated WebhookEndpointDisabled$/, status: 'disabled' },
  };
  for (const [id, { kind, types, status }] of Object.entries(expected)) {
    const trace = await answer(t, 'trace', id);
    t.like(trace, { id, kind, erased: null, unread_from: null });
    t.regex(trace.events.map(({ type }: CatalogueEvent) => type).join(' '), types);
    t.regex(trace.status, new RegExp(status));
    t.is(trace.statuses.at(-1).status, trace.status);
  }
  t.like((await answer(t, 'trace', noel)).events.at(-1), {
    relation: 'by',
    verdict: 'ignored',
    reason: 'admin_needed',
  });
  t.like((await answer(t, 'trace', endpoint.id)).deliveries, { newest: [], more: false });

  const file = join(folder, 'account.svg');
  const { stdout } = await call(t, 'trace', acme, '--svg', file);
  t.regex(stdout, /TeamRenamed +ignored: admin_needed +active +user:/);
  t.regex(stdout, /Time in each status: active\./);
  const svg = await readFile(file, 'utf8');
  t.regex(svg, /WebhookEndpointDisabled/);
  for (const text of ['Mine', 'Sale', '127.0.0.1']) t.false(`${stdout}${svg}`.includes(text), text);
  t.regex(await refusal(t, 'trace', 'key_x'), /^renderctl: the log has no record of key key_x\n/);
});

test.serial('a repeated command with its own id creates once', async (t) => {
  const acme = ['account', 'create', '--name', 'Once', '--id', 'acc_once'];
  const film = ['team', 'create', '--account', 'acc_once', '--name', 'Film', '--id', 'team_once'];
  const ana = ['user', 'create', '--email', 'ana@once.example', '--id', 'user_once'];
  const plain = ['project', 'create', '--team', 'team_once', '--name', 'Plain', '--id', 'proj_once'];
  for (const command of [acme, film, ana, plain]) await again(t, await answer(t, ...command), ...command);

  for (const [command, id] of [
    [[...acme, '--unlimited'], 'acc_once'],
    [['team', 'create', '--account', 'acc_once', '--name', 'Other', '--id', 'team_once'], 'team_once'],
    [['user', 'create', '--email', 'eve@once.example', '--id', 'user_once'], 'user_once'],
    [['project', 'create', '--team', 'team_once', '--name', 'Other', '--id', 'proj_once'], 'proj_once'],
  ] as const)
    t.regex(await refusal(t, ...command), new RegExp(`${id} already exists`));
  t.is((await answer(t, 'user', 'show', 'user_once')).email, 'ana@once.example');
});

// Tests that are not serial mostly wait until a change is in effect, so they run concurrently.
test('a team is created and its members change', async (t) => {
  const acme = await account(t);
  const created = await answer(t, 'team', 'create', '--account', acme, '--name', 'Film');
  t.like(created, { name: 'Film', account_id: acme });
  const renamed = await answer(t, 'team', 'rename', created.id, 'Film & TV');
  t.deepEqual(renamed, { ...created, name: 'Film & TV' });
  await again(t, renamed, 'team', 'rename', created.id, 'Film & TV');

  const ana = await user(t);
  const member = await answer(t, 'member', 'add', created.id, ana);
  t.like(member, { team_id: created.id, user_id: ana, role: 'member' });
  await again(t, member, 'member', 'add', created.id, ana);
  t.regex(
    await refusal(t, 'member', 'add', created.id, ana, '--role', 'admin'),
    /is already a member of team .* with another role; change it with "renderctl member role .* admin"/,
  );
  const admin = await answer(t, 'member', 'role', created.id, ana, 'admin');
  t.deepEqual(admin, { ...member, role: 'admin' });
  await again(t, admin, 'member', 'role', created.id, ana, 'admin');
  t.deepEqual((await answer(t, 'member', 'list', '--team', created.id)).data, [admin]);
  t.deepEqual((await answer(t, 'team', 'list', '--account', acme)).data, [renamed]);
  t.deepEqual(await answer(t, 'team', 'show', created.id), { ...renamed, members: [admin] });
  t.deepEqual((await answer(t, 'user', 'show', ana)).teams, [admin]);

  for (const command of [
    ['remove', created.id, ana],
    ['role', created.id, ana, 'member'],
  ])
    t.regex(
      await refusal(t, 'member', ...command),
      /is the last admin of team .*make another user an admin first with "renderctl/,
    );
  const other = await answer(t, 'member', 'add', created.id, await user(t), '--role', 'admin');
  const removed = await answer(t, 'member', 'remove', created.id, ana);
  await again(t, removed, 'member', 'remove', created.id, ana);
  t.deepEqual((await answer(t, 'member', 'list', '--team', created.id)).data, [other]);
  t.deepEqual((await answer(t, 'user', 'show', ana)).teams, []);
  t.regex(await refusal(t, 'member', 'role', created.id, ana, 'admin'), /is not a member of team/);
  t.regex(await refusal(t, 'member', 'remove', created.id, await user(t)), /is not a member of team/);
  t.like(await answer(t, 'member', 'add', created.id, ana), { role: 'member' });

  for (const command of [
    ['member', 'add', 'team_x', ana],
    ['member', 'role', 'team_x', ana, 'admin'],
    ['member', 'list', '--team', 'team_x'],
    ['team', 'show', 'team_x'],
    ['team', 'rename', 'team_x', 'X'],
  ])
    t.regex(await refusal(t, ...command), /there is no team team_x; list them with "renderctl team list"/);
  t.regex(await refusal(t, 'member', 'add', created.id, 'user_x'), /there is no user user_x; list them with/);
  t.regex(await refusal(t, 'member', 'role', created.id, 'user_x', 'admin'), /there is no user user_x; list them with/);
  t.regex(await refusal(t, 'team', 'create', '--account', 'acc_x', '--name', 'T'), /there is no account acc_x/);
});

const writerOf = (user_id: string): CatalogueWriter => ({ ...ours(), actor: actor('user', user_id) });

const reasonOf = (answered: E.Either<CatalogueFault, unknown>): string | null =>
  E.isLeft(answered) ? (answered.left.tag === 'illegal' ? answered.left.reason : answered.left.tag) : null;

type T = Parameters<typeof account>[0];

/** @returns the owner, as renderctl shows it */
const addFirstOwner = async (t: T, acme: string, olga: string, ana: string) => {
  const owner = await answer(t, 'account', 'owner', 'add', acme, olga);
  t.like(owner, { account_id: acme, user_id: olga });
  await again(t, owner, 'account', 'owner', 'add', acme, olga);
  t.deepEqual((await answer(t, 'account', 'owner', 'list', acme)).data, [owner]);
  t.regex(
    await refusal(t, 'account', 'owner', 'remove', acme, olga),
    /the last owner of account .*add another owner first/,
  );
  t.regex(await refusal(t, 'account', 'owner', 'remove', acme, ana), /does not own account/);
  t.regex(await refusal(t, 'account', 'owner', 'add', acme, 'user_x'), /there is no user user_x/);
  return owner;
};

const createTeamAsOwner = async (acme: string, olga: string): Promise<string> => {
  const made = await createTeam(writerOf(olga), { account_id: acme, name: 'Film' });
  if (E.isLeft(made)) throw new Error(made.left.tag);
  return made.right.id;
};

/** Two people accept one invitation at the same time. @returns the one who became a member, and the other one */
const acceptInvitationOnce = async (t: T, acme: string, film: string, [ana, noel]: readonly [string, string]) => {
  const invited = await answer(t, 'invitation', 'create', '--account', acme, '--team', film, '--role', 'admin');
  t.like(invited, { account_id: acme, team_id: film, role: 'admin', invited_by: `operator:${operatorOf(t)}` });
  t.false((await catalogueLog()).includes(invited.token), 'the log has only its hash');
  const { token, ...shown } = invited;
  t.deepEqual((await answer(t, 'invitation', 'list', '--account', acme)).data, [shown]);
  t.is(reasonOf(await acceptInvitation(writerOf(ana), `${token}x`, ana)), 'missing');
  t.is(reasonOf(await acceptInvitation(writerOf(ana), token, noel)), 'own_user_needed');
  const accepted = await Promise.all([
    acceptInvitation(writerOf(ana), token, ana),
    acceptInvitation(writerOf(noel), token, noel),
  ]);
  t.deepEqual(accepted.map(reasonOf).toSorted(), ['invitation_accepted', null].toSorted());
  const [member, stranger] = E.isRight(accepted[0]) ? [ana, noel] : [noel, ana];
  t.like(await acceptInvitation(writerOf(member), token, member), { right: { accepted_by: member, repeated: true } });
  t.deepEqual((await answer(t, 'invitation', 'list', '--account', acme)).data, []);
  t.regex(await refusal(t, 'invitation', 'revoke', invited.id), /was already accepted; remove the role/);
  return { member, stranger };
};

/** Two admins who remove each other at the same time: the first record of the log wins, so one admin stays. */
const removeEachOther = async (t: T, film: string, olga: string, member: string): Promise<void> => {
  t.is(reasonOf(await addMember(writerOf(olga), { team_id: film, user_id: olga, role: 'admin' })), null);
  const rival = (user_id: string, removed: string): CatalogueEvent => ({
    ...{ type: 'MemberRemoved', rules: 1, meta: newEventMeta(writerOf(user_id)), team_id: film, user_id: removed },
  });
  const beaten = await removeMember(outrun(writerOf(member), rival(olga, member)), { team_id: film, user_id: olga });
  t.like(beaten, { left: { tag: 'illegal', reason: 'admin_needed' } });
  t.true(E.isLeft(beaten) && beaten.left.tag === 'illegal' && beaten.left.ignored_at !== null);
};

const linkIdentityOnce = async (t: T, olga: string, stranger: string): Promise<void> => {
  const identity_id = '5f'.repeat(32);
  t.true(E.isRight(await linkIdentity(writerOf(olga), { identity_id, user_id: olga })));
  t.is(
    reasonOf(await linkIdentity(writerOf(stranger), { identity_id, user_id: stranger })),
    'identity_of_another_user',
  );
  t.like((await answer(t, 'user', 'identities', olga)).data, { length: 1, 0: { id: identity_id, user_id: olga } });
  const unlinked = await answer(t, 'user', 'unlink', olga, identity_id);
  t.true(unlinked.unlinked_at > 0);
};

const limitTeams = async (t: T, acme: string, olga: string, owner: unknown): Promise<void> => {
  const limits = await answer(t, 'account', 'limits', 'set', acme, '--teams', '1', '--members', '30');
  t.like(limits.data[2], { resource: 'teams', used: 1, most: 1, is_default: false });
  t.is(reasonOf(await createTeam(writerOf(olga), { account_id: acme, name: 'Second' })), 'too_many_teams');
  t.regex(
    await refusal(t, 'team', 'create', '--account', acme, '--name', 'Second'),
    /has reached its limit of teams; .*account limits set acc_\S+ --teams NUMBER/,
  );
  const shown_account = await answer(t, 'account', 'show', acme);
  t.like(shown_account, { owners: [owner], limits: { length: 6, 4: { resource: 'members', used: 1, most: 30 } } });
  t.regex(
    (await call(t, 'account', 'show', acme)).stdout,
    /owner .*user_.*resource +used +limit +set by.*teams +1 +1 +an operator/s,
  );
  t.like((await answer(t, 'account', 'limits', 'set', acme, '--teams', 'default')).data[2], { is_default: true });
  t.regex((await call(t, 'account', 'limits', 'set', acme)).stderr, /set at least one limit/);
};

const limitRetention = async (t: T, acme: string): Promise<void> => {
  t.deepEqual((await answer(t, 'account', 'show', acme)).retention, [
    { what: 'outputs', days: null, gone_until: 0 },
    { what: 'media', days: null },
    { what: 'deliveries', days: null },
  ]);
  const kept = await answer(t, 'account', 'retain', acme, '--outputs', '90', '--media', '7', '--deliveries', '3');
  const [outputs, media, deliveries] = [90, 7, 3];
  t.like(kept.data, {
    length: 3,
    0: { days: outputs },
    1: { days: media },
    2: { what: 'deliveries', days: deliveries },
  });
  t.true(Math.abs(kept.data[0].gone_until - (Date.now() - 90 * 86_400_000)) < 600_000);
  t.regex(
    (await call(t, 'account', 'show', acme)).stdout,
    /outputs +90 days +20\d\d-.*media +7 days.*deliveries +3 days/s,
  );
  const default_again = await answer(t, 'account', 'retain', acme, '--outputs', 'default');
  t.like(default_again.data[0], { what: 'outputs', days: null });
  t.true(default_again.data[0].gone_until > 0, 'deleted outputs stay deleted');
  t.regex((await call(t, 'account', 'retain', acme)).stderr, /at least one of --outputs DAYS/);
  t.regex(
    (await call(t, 'account', 'retain', acme, '--media', '0')).stderr,
    /It must be from 1 to 36500, or "default"/,
  );
};

const nameDownloads = async (t: T, acme: string): Promise<void> => {
  t.deepEqual((await answer(t, 'account', 'show', acme)).downloads, { named_by: 'name' });
  t.deepEqual(await answer(t, 'account', 'downloads', acme, 'id'), { named_by: 'id' });
  t.like(await answer(t, 'account', 'downloads', acme, 'id'), { repeated: true });
  t.regex((await call(t, 'account', 'show', acme)).stdout, /download names.*the id of the render or project/s);
  t.like(await answer(t, 'account', 'show', acme), { retention: { 1: { days: 7 } }, downloads: { named_by: 'id' } });
  t.regex((await call(t, 'account', 'downloads', acme, 'both')).stderr, /Allowed choices are name, id/);
};

test('renderctl adds the first owner, others are invited, and roles limit each', async (t) => {
  t.timeout(180_000);
  const acme = await account(t);
  const [olga, ana, noel] = [await user(t), await user(t), await user(t)];
  const owner = await addFirstOwner(t, acme, olga, ana);
  const film = await createTeamAsOwner(acme, olga);
  t.is(reasonOf(await createTeam(writerOf(ana), { account_id: acme, name: 'Other' })), 'owner_needed');
  const { member, stranger } = await acceptInvitationOnce(t, acme, film, [ana, noel]);
  await removeEachOther(t, film, olga, member);
  await linkIdentityOnce(t, olga, stranger);
  await limitTeams(t, acme, olga, owner);
  await limitRetention(t, acme);
  await nameDownloads(t, acme);
});

test.serial("a user's address never enters the log, and is deleted when another replaces it", async (t) => {
  const addresses = async (id: string): Promise<readonly string[]> => {
    const documents = clients.store.db.collection<UserDocument>(catalogueCollections(1).entities.user);
    const path = (await documents.findOne({ _id: id }))?.email?.path;
    return path === undefined ? [] : [path];
  };
  const created = await answer(t, 'user', 'create', '--email', 'ana.quiet@example.org');
  t.is(created.email, 'ana.quiet@example.org');
  t.deepEqual(
    (await answer(t, 'user', 'list')).data.find(({ id }: { id: string }) => id === created.id),
    created,
  );
  const [first = ''] = await addresses(created.id);
  t.true(await blobs.exists(first));

  const changed = await answer(t, 'user', 'email', created.id, 'ana.loud@example.org');
  t.deepEqual(changed, { ...created, email: 'ana.loud@example.org' });
  await again(t, changed, 'user', 'email', created.id, 'ana.loud@example.org');
  t.deepEqual(await answer(t, 'user', 'show', created.id), { ...changed, teams: [] });
  const [second = ''] = await addresses(created.id);
  t.false(await blobs.exists(first));
  t.true(await blobs.exists(second));

  t.is((await answer(t, 'user', 'email', created.id, '--none')).email, null);
  t.false(await blobs.exists(second));
  t.deepEqual(await addresses(created.id), []);

  const stated = { email: 'ana.loud@example.org', name: 'Ana Loud' };
  t.like(await storeStatedProfile(ours(), blobs, created.id, stated), { right: stated });
  t.like(await answer(t, 'user', 'show', created.id), stated);
  t.regex(
    (await call(t, 'user', 'list')).stdout,
    new RegExp(`^${created.id} +Ana Loud +ana\\.loud@example\\.org `, 'm'),
  );

  t.regex(await refusal(t, 'user', 'email', 'user_x', 'a@b.org'), /there is no user user_x; list them with/);
  t.regex(await refusal(t, 'user', 'show', 'user_x'), /there is no user user_x; list them with/);
  const log = await catalogueLog();
  t.true(log.includes(created.id));
  t.false(/ana.(quiet|loud)/i.test(log));
});

test('a key is shown once, with the time of its last use', async (t) => {
  const acme = await account(t);
  const film = await team(t, acme);
  const issued = await answer(t, 'key', 'create', '--account', acme, '--team', film, '--name', 'CI');
  t.regex(issued.key, /^vr_[0-9A-Za-z]{49}$/);
  const { key, ...shown } = issued;
  t.deepEqual((await answer(t, 'key', 'list', '--account', acme)).data, [shown]);
  t.like(shown, { name: 'CI', prefix: key.slice(0, 7), last4: key.slice(-4), revoked_at: null, expires_at: null });
  t.is(shown.last_used_at, null);
  t.false((await catalogueLog()).includes(key));

  const at = new Date(1_800_000_000_000);
  await clients.store.db.collection<KeyLastUsedDocument>(COLLECTIONS.key_last_used).insertOne({ _id: issued.id, at });
  t.deepEqual(await answer(t, 'key', 'show', issued.id), { ...shown, last_used_at: at.getTime() });
  t.is((await answer(t, 'key', 'list', '--account', acme)).data[0].last_used_at, at.getTime());

  const dated = await answer(t, 'key', 'create', '--account', acme, '--team', film, '--expires', '2027-01-31');
  t.is(dated.expires_at, Date.UTC(2027, 0, 31));

  const revoked = await answer(t, 'key', 'revoke', issued.id);
  t.true(revoked.revoked_at > 0);
  await again(t, revoked, 'key', 'revoke', issued.id);
  for (const command of ['revoke', 'rotate', 'show'])
    t.regex(await refusal(t, 'key', command, 'key_x'), /there is no key key_x; list them with "renderctl key list"/);

  const other = await account(t);
  const create = ['key', 'create', '--account'];
  t.regex(await refusal(t, ...create, other, '--team', film), /does not belong to account/);
  t.regex(await refusal(t, ...create, acme, '--team', film, '--team', 'team_x'), /one of the teams .* does not exist/);
  t.regex(await refusal(t, ...create, 'acc_x', '--team', film), /there is no account acc_x/);
  t.regex(await refusal(t, ...create, acme, '--team', film, '--user', 'user_x'), /there is no user user_x/);
});

test('a rotated key works during the overlap, and never after its own expiry', async (t) => {
  const acme = await account(t);
  const film = await team(t, acme);
  const ana = await user(t);
  const wanted = ['--account', acme, '--team', film, '--user', ana, '--name', 'CI'];
  t.regex(await refusal(t, 'key', 'create', ...wanted), /user user_\S+ is not a member of team/);
  t.regex((await call(t, 'key', 'create', ...wanted, '--service')).stderr, /either personal or a service key/);
  await answer(t, 'member', 'add', film, ana);
  const { key: _old, ...old } = await answer(t, 'key', 'create', ...wanted);
  const before = Date.now();
  const { key, replaces, ...issued } = await answer(t, 'key', 'rotate', old.id, '--overlap', '2h');
  t.regex(key, /^vr_[0-9A-Za-z]{49}$/);
  t.like(issued, { name: 'CI', account_id: acme, user_id: ana, team_ids: [film], expires_at: null, replaced_by: null });
  t.deepEqual(replaces, { ...old, expires_at: replaces.expires_at, replaced_by: issued.id });
  const until = replaces.expires_at - 2 * 3_600_000;
  t.true(until >= before && until <= Date.now());
  t.deepEqual(
    (await answer(t, 'key', 'list', '--account', acme)).data.map(({ id }: { id: string }) => id),
    [old.id, issued.id],
  );
  t.regex(await refusal(t, 'key', 'rotate', old.id), /is already rotated; "renderctl key show key_/);

  const ends = new Date(Date.now() + 60_000).toISOString();
  const soon = await answer(t, 'key', 'create', ...wanted, '--expires', ends);
  const next = await answer(t, 'key', 'rotate', soon.id);
  t.is(next.replaces.expires_at, soon.expires_at);
  // The new key gets the lifetime of the old one, unless an option sets another.
  const lifetime_ms = soon.expires_at - soon.created_at;
  t.true(Math.abs(next.expires_at - next.created_at - lifetime_ms) < 10_000);
  t.is((await answer(t, 'key', 'rotate', next.id, '--expires', 'never')).expires_at, null);

  const { stdout } = await call(t, 'key', 'rotate', issued.id, '--overlap', '0');
  t.regex(stdout, new RegExp(`${issued.id} no longer works`));
  t.true((await answer(t, 'key', 'show', issued.id)).revoked_at > 0);
  const plain = await answer(t, 'key', 'create', ...wanted);
  await answer(t, 'key', 'revoke', plain.id);
  t.regex(await refusal(t, 'key', 'rotate', plain.id), /is revoked; create another with "renderctl key create"/);
  t.false((await catalogueLog()).includes(key));
});

test.serial('a project is imported and revised', async (t) => {
  const film = await team(t, await account(t));
  const first = await answer(t, 'project', 'import', DEMO, '--team', film);
  t.like(first, { team_id: film, version: 1, added: true });

  const repeated = await answer(t, 'project', 'import', DEMO, '--project', first.id);
  t.like(repeated, { version: 1, added: false });

  const copy = join(folder, 'a copy');
  await cp(DEMO, copy, { recursive: true });
  const path = join(copy, 'project.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace(first.name, 'Winter trails'));
  const second = await answer(t, 'project', 'import', copy, '--project', first.id, '--base-version', '1');
  t.like(second, { id: first.id, version: 2, name: 'Winter trails', added: true });

  const shown = await answer(t, 'project', 'show', first.id);
  t.is(shown.document.name, 'Winter trails');
  t.true(shown.document.assets.every(({ sha256 }: { sha256: string }) => /^[0-9a-f]{64}$/.test(sha256)));
  t.like(await answer(t, 'project', 'show', first.id, '--version', '1'), { name: first.name, version: 1 });
  t.regex(
    await refusal(t, 'project', 'show', first.id, '--version', '3'),
    /there is no version 3 of proj_.*versions proj_/,
  );
  t.deepEqual(
    (await answer(t, 'project', 'list', '--team', film)).data.map(({ id }: { id: string }) => id),
    [first.id],
  );

  t.regex(
    await refusal(t, 'project', 'import', DEMO, '--project', first.id, '--base-version', '1'),
    /is not at version 1; list its versions with "renderctl project versions proj_/,
  );
  t.regex(await refusal(t, 'project', 'import', DEMO, '--team', 'team_x'), /there is no team team_x/);
  for (const command of [
    ['import', DEMO, '--project', 'proj_x'],
    ['show', 'proj_x'],
    ['versions', 'proj_x'],
    ['rename', 'proj_x', 'X'],
  ])
    t.regex(
      await refusal(t, 'project', ...command),
      /there is no project proj_x; list them with "renderctl project list"/,
    );
  t.regex(await refusal(t, 'project', 'create', '--team', 'team_x', '--name', 'P'), /there is no team team_x/);

  await writeFile(path, '{"name":""}');
  const told = await refusal(t, 'project', 'import', copy, '--team', film);
  t.regex(told, /project\.json has \d errors; nothing was imported\n {2}name: /);
  t.is((await answer(t, 'project', 'list', '--team', film)).data.length, 1);
});

test.serial('an import refuses unusable media and accepts media that are already stored', async (t) => {
  const film = await team(t, await account(t));
  const poor = join(folder, 'poor');
  await cp(DEMO, poor, { recursive: true });
  const music = join(poor, 'assets', 'music.m4a');
  await writeFile(music, (await readFile(music)).subarray(0, 1000));
  const path = join(poor, 'project.json');
  const written = await readFile(path, 'utf8');
  await writeFile(path, written.replace('"asset": "mountains",', '"asset": "mountains", "trim_start": 3000,'));
  const told = await refusal(t, 'project', 'import', poor, '--team', film);
  t.regex(told, /project\.json has 2 errors; nothing was imported\n/);
  t.regex(told, /^ {2}assets\[\d\]\.file: "[\w-]+" \(assets\/music\.m4a\) cannot be read: it is damaged or cut off/m);
  t.regex(
    told,
    /^ {2}compositions\[0\]\.layers\[0\]\.trim_start: must be before the end of "mountains" \([\d.]+ s\)$/m,
  );
  t.deepEqual((await answer(t, 'project', 'list', '--team', film)).data, []);

  // An earlier renderctl imported such media.
  const { id } = await answer(t, 'project', 'import', poor, '--team', film, '--no-media-check');
  t.like(await answer(t, 'project', 'import', poor, '--project', id), { version: 1, added: false });
  await writeFile(path, written);
  t.regex(await refusal(t, 'project', 'import', poor, '--project', id), /has 1 error; nothing was imported/);

  // A replacement must not be shorter than a layer needs.
  await cp(join(DEMO, 'assets', 'music.m4a'), music);
  await writeFile(path, written.replace('"asset": "mountains",', '"asset": "mountains", "trim_start": 9.5,'));
  const { version, warnings } = await answer(t, 'project', 'import', poor, '--project', id);
  t.regex(warnings[0]?.message ?? '', /^lasts 10 s, but "mountains" only 0\.\d+ s: the last frame stays visible/);
  const short = join(folder, 'short.mp4');
  const second = ['-v', 'error', '-y', '-f', 'lavfi', '-i', 'testsrc2=size=64x36:rate=25:duration=1'];
  await encodeOnce('ffmpeg', [...second, '-c:v', 'libx264', '-pix_fmt', 'yuv420p'], short);
  const replace = ['asset', 'add', short, '--id', 'mountains', '--replace', '--project', id];
  t.regex(
    await refusal(t, ...replace),
    /1 error; nothing was imported\n {2}compositions\[0\]\.layers\[0\]\.trim_start: must be before the end of "mountains" \(1 s\)/,
  );
  t.is((await answer(t, 'project', 'show', id)).version, version);
  t.is((await answer(t, ...replace, '--no-media-check')).version, version + 1);
});

test.serial('a renamed project gets a version that differs only in its name', async (t) => {
  const film = await team(t, await account(t));
  const first = await answer(t, 'project', 'import', DEMO, '--team', film, '--no-media-check');
  const { document } = await answer(t, 'project', 'show', first.id);
  const renamed = await answer(t, 'project', 'rename', first.id, 'Spring trails');
  t.like(renamed, { id: first.id, name: 'Spring trails', version: 2 });
  await again(t, renamed, 'project', 'rename', first.id, 'Spring trails');
  t.deepEqual((await answer(t, 'project', 'show', first.id)).document, { ...document, name: 'Spring trails' });
  const versions = (await answer(t, 'project', 'versions', first.id)).data;
  t.deepEqual(
    versions.map(({ version, name }: { version: number; name: string }) => [version, name]),
    [
      [1, first.name],
      [2, 'Spring trails'],
    ],
  );
  const empty = await answer(t, 'project', 'create', '--team', film, '--name', 'Empty');
  t.regex(await refusal(t, 'project', 'rename', empty.id, 'X'), /has no versions, so it has no name to change/);
  t.deepEqual((await answer(t, 'project', 'versions', empty.id)).data, []);
});

test.serial('an interrupted import is repeated with the same id', async (t) => {
  const film = await team(t, await account(t));
  const command = ['project', 'import', DEMO, '--team', film, '--id', 'proj_cut_off', '--no-media-check'];
  // The state of an import that ended between the project and its version.
  await answer(t, 'project', 'create', '--team', film, '--name', 'Cut off', '--id', 'proj_cut_off');
  t.like(await answer(t, ...command), { id: 'proj_cut_off', version: 1, added: true });
  t.like(await answer(t, ...command), { id: 'proj_cut_off', version: 1, added: false });
  await answer(t, 'project', 'rename', 'proj_cut_off', 'Revised');
  t.regex(await refusal(t, ...command), /proj_cut_off already exists at version 2; .*"--project proj_cut_off"/);
  const other = await team(t, await account(t));
  t.regex(
    await refusal(t, 'project', 'import', DEMO, '--team', other, '--id', 'proj_cut_off', '--no-media-check'),
    /proj_cut_off already exists/,
  );
});

test.serial('only the project that owns a stored asset can refer to it by hash', async (t) => {
  const film = await team(t, await account(t));
  const first = await answer(t, 'project', 'import', DEMO, '--team', film, '--no-media-check');
  const { document } = await answer(t, 'project', 'show', first.id);
  const path = join(folder, 'stored.json');
  await writeFile(path, JSON.stringify({ ...document, name: 'From what is stored' }));
  t.like(await answer(t, 'project', 'import', path, '--project', first.id), { version: 2, added: true });
  t.regex(
    await refusal(t, 'project', 'import', path, '--team', film),
    /assets\[0\]\.sha256: is not stored in this project; use its file instead/,
  );
  t.is((await answer(t, 'project', 'list', '--team', film)).data.length, 1);
});

test.serial("the log records the operator's role, and renderctl refuses a person's name as role", async (t) => {
  const asSomeone = (operator: string) => caller({ ...stack.env, RENDERCTL_OPERATOR: operator });
  const { exit_code } = await asSomeone('on-call')('account', 'create', '--name', 'Acme');
  t.is(exit_code, 0);
  t.true((await catalogueLog()).includes('operator:on-call'));
  const refused = await asSomeone('Ana Quiet')('account', 'create', '--name', 'Acme');
  t.is(refused.exit_code, 2);
  t.regex(refused.stderr, /RENDERCTL_OPERATOR must be a role/);
  const endless = await caller({ ...stack.env, RENDERCTL_WAIT_S: '0' })('account', 'create', '--name', 'Acme');
  t.regex(endless.stderr, /RENDERCTL_WAIT_S must be a whole number of seconds/);
});

test.serial('an empty project can be created', async (t) => {
  const film = await team(t, await account(t));
  const created = await answer(t, 'project', 'create', '--team', film, '--name', 'Plain');
  t.like(created, { name: 'Plain', version: 0 });
  const { stdout } = await call(t, 'project', 'show', created.id);
  t.regex(stdout, /The project has no versions yet/);
});

test('a removal returns once it is in effect', async (t) => {
  const acme = await account(t);
  const film = await team(t, acme);
  const ana = await user(t);
  await answer(t, 'member', 'add', film, ana, '--role', 'admin');
  await answer(t, 'member', 'add', film, await user(t), '--role', 'admin');
  const issued = await answer(t, 'key', 'create', '--account', acme, '--team', film, '--user', ana);
  const teams = async (key: string): Promise<readonly [number, readonly string[]]> => {
    const url = `${stack.component('query-api').url}/v1/teams`;
    const reply = await send(url, { headers: bearer(key) });
    const { data = [] } = Object(reply.body);
    return [reply.status, data.map(({ role }: { role: string }) => role)];
  };
  t.deepEqual(await teams(issued.key), [200, ['admin']]);
  await answer(t, 'member', 'role', film, ana, 'member');
  t.deepEqual(await teams(issued.key), [200, ['member']]);
  const rotated = await answer(t, 'key', 'rotate', issued.id, '--overlap', '0');
  t.deepEqual(await teams(issued.key), [401, []]);
  t.deepEqual(await teams(rotated.key), [200, ['member']]);
  const service = await answer(t, 'key', 'create', '--account', acme, '--team', film, '--service');
  await answer(t, 'member', 'remove', film, ana);
  t.deepEqual(await teams(rotated.key), [401, []], 'a personal key ends with the membership');
  t.true((await answer(t, 'key', 'show', rotated.id)).revoked_at > 0);
  t.is((await teams(service.key))[0], 200);
  await answer(t, 'key', 'revoke', service.id);
  t.deepEqual(await teams(service.key), [401, []]);
});

const endpointDocument = (id: string): Promise<WebhookEndpointDocument | null> => endpointOf(clients, id);
const openedSecrets = (id: string): Promise<readonly (string | null)[]> => openedSecretsOf(stack, clients, id);

test('a webhook secret is shown once and is never stored in plain text', async (t) => {
  const film = await team(t, await account(t));
  const create = ['webhook', 'create', film, HOOK, '--event', 'render.failed', '--event', 'render.complete'];
  const [{ secret, ...endpoint }, first] = await Promise.all([
    answer(t, ...create),
    answer(t, ...create, '--id', 'whe_once'),
  ]);
  t.regex(endpoint.id, /^whe_[0-9A-HJKMNP-TV-Z]{26}$/);
  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.like(endpoint, { team_id: film, url: HOOK, state: 'enabled', events: ['render.complete', 'render.failed'] });
  t.deepEqual(await openedSecrets(endpoint.id), [secret, null]);
  const [log, stored] = [await catalogueLog(), JSON.stringify(await endpointDocument(endpoint.id))];
  for (const text of [secret, secret.slice('whsec_'.length)]) t.false(log.includes(text) || stored.includes(text));

  // A repeat with the same --id creates nothing and shows no secret.
  const [repeated, told, other] = await Promise.all([
    answer(t, ...create, '--id', 'whe_once'),
    call(t, ...create, '--id', 'whe_once'),
    refusal(t, 'webhook', 'create', film, HOOK, '--all-events', '--id', 'whe_once'),
  ]);
  t.deepEqual(repeated, { ...first, secret: null, repeated: true });
  t.deepEqual(await openedSecrets('whe_once'), [first.secret, null]);
  t.regex(told.stdout, /If you lost it: renderctl webhook rotate-secret whe_once\n\nNothing changed: this is already/);
  t.notRegex(told.stdout, /whsec_/);
  t.regex(other, /whe_once already exists/);

  const listed = (await answer(t, 'webhook', 'list', '--team', film)).data;
  t.deepEqual(listed.map(({ id }: { id: string }) => id).toSorted(), [endpoint.id, 'whe_once'].toSorted());
  t.deepEqual(
    listed.find(({ id }: { id: string }) => id === endpoint.id),
    endpoint,
  );
  t.like(await answer(t, 'webhook', 'show', endpoint.id), { ...endpoint, failing: null, disabled_periods: [] });
  t.regex(await refusal(t, 'webhook', 'create', 'team_x', HOOK, '--all-events'), /there is no team team_x/);
  t.regex(await refusal(t, 'webhook', 'list', '--team', 'team_x'), /there is no team team_x/);
  for (const command of [
    ['show', 'whe_x'],
    ['events', 'whe_x', '--all-events'],
    ['rotate-secret', 'whe_x'],
    ['activate-secret', 'whe_x'],
    ['disable', 'whe_x'],
    ['enable', 'whe_x'],
    ['delete', 'whe_x'],
  ])
    t.regex(
      await refusal(t, 'webhook', ...command),
      /there is no webhook endpoint whe_x; list them with "renderctl webhook list"/,
    );
});

test.serial('a webhook endpoint with a forbidden URL is refused, and nothing is appended', async (t) => {
  const film = await team(t, await account(t));
  const before = await endOfLog();
  // As in production, but without a name server.
  const strict = caller({
    ...stack.env,
    OUTBOUND_ALLOWED_RANGES: '',
    OUTBOUND_ALLOWED_PORTS: '',
    OUTBOUND_DNS_SERVERS: '127.0.0.1:9',
  });
  for (const [url, told] of [
    ['http://hooks.example.com', /must begin with https:\/\//],
    ['https://ana:secret@hooks.example.com', /must not contain a user name or password/],
    ['https://hooks.example.com:25', /must not have port 25, only 443 or 8443/],
    ['https://10.0.0.7', /10\.0\.0\.7 is a private address/],
    ['https://0x7f.1:8443', /127\.0\.0\.1 is a private address/],
    ['https://localhost', /localhost is refused: the host has an address that is not allowed/],
    ['https://hooks.example.com', /hooks\.example\.com is refused: the look-up of the host name/],
  ] as const) {
    const { exit_code, stdout, stderr } = await strict('webhook', 'create', film, url, '--all-events');
    t.is(exit_code, 1, url);
    t.is(stdout, '');
    t.regex(stderr, told);
    t.notRegex(stderr, /secret/);
  }
  t.is(await endOfLog(), before);
  const { WEBHOOK_SECRETS_KEY: _key, WEBHOOK_PUBLIC_KEY: _public, ...keyless } = stack.env;
  t.regex((await caller(keyless)('webhook', 'create', film, HOOK, '--all-events')).stderr, /WEBHOOK_PUBLIC_KEY is not/);
});

test('a webhook endpoint changes its events and secret, is disabled, enabled and deleted', async (t) => {
  const film = await team(t, await account(t));
  const create = ['webhook', 'create', film, HOOK, '--event', 'render.failed'];
  const [made, quiet] = await Promise.all([answer(t, ...create), answer(t, ...create)]);
  const { secret: first, ...endpoint } = made;

  // Each command waits until its change is in effect, so independent ones run concurrently.
  const all = ['render.status_changed', 'render.complete', 'render.failed'];
  const [chosen, so_already, chosen_already] = await Promise.all([
    answer(t, 'webhook', 'events', endpoint.id, '--all-events'),
    answer(t, 'webhook', 'enable', quiet.id),
    answer(t, 'webhook', 'events', quiet.id, '--event', 'render.failed'),
  ]);
  t.deepEqual(chosen, { ...endpoint, events: all });
  for (const repeated of [so_already, chosen_already])
    t.like(repeated, { state: 'enabled', events: ['render.failed'], repeated: true });

  const lost = await answer(t, 'webhook', 'rotate-secret', endpoint.id);
  const { secret: second, ...rotating } = await answer(t, 'webhook', 'rotate-secret', endpoint.id);
  t.is(lost.replaces, null);
  t.deepEqual(rotating, { ...chosen, rotation: rotating.rotation, replaces: lost.rotation });
  t.is(rotating.rotation.until - rotating.rotation.since, 24 * 3_600_000);
  t.deepEqual(await openedSecrets(endpoint.id), [first, second]);
  const { stdout } = await call(t, 'webhook', 'rotate-secret', quiet.id);
  t.regex(stdout, /^whsec_[A-Za-z0-9+/]{43}=\n\nThis is the signing secret/);
  t.regex(stdout, new RegExp(`uses the old secret until \\d{4}-.*run "renderctl webhook activate-secret ${quiet.id}"`));

  t.deepEqual(await answer(t, 'webhook', 'activate-secret', endpoint.id), chosen);
  t.deepEqual(await openedSecrets(endpoint.id), [second, null]);

  const twice = (command: string, id: string) =>
    Promise.all([answer(t, 'webhook', command, id), answer(t, 'webhook', command, id)]);
  const timesRepeated = (answers: readonly { readonly repeated?: true }[]): number =>
    answers.filter(({ repeated }) => repeated === true).length;
  const disabled = await twice('disable', endpoint.id);
  t.is(timesRepeated(disabled), 1);
  for (const one of disabled) t.like(one, { state: 'disabled', disabled: { reason: 'by_hand' } });
  const health = { _id: endpoint.id, failing_since: 1_800_000_000_000, exhausted: 7 };
  await clients.store.db
    .collection<WebhookHealthDocument>(COLLECTIONS.webhook_endpoint_health)
    .insertOne({ ...health });
  const shown = (await call(t, 'webhook', 'show', endpoint.id)).stdout;
  t.regex(shown, /disabled \S+: by hand\n/);
  t.regex(shown, /All deliveries have failed since 2027-01-15T08:00:00\.000Z; 7 have no retries left\./);

  const [enabled, deleted, activated] = await Promise.all([
    answer(t, 'webhook', 'enable', endpoint.id),
    twice('delete', quiet.id),
    answer(t, 'webhook', 'activate-secret', endpoint.id),
  ]);
  t.deepEqual(enabled, chosen);
  t.like(activated, { rotation: null, repeated: true });
  const history = await answer(t, 'webhook', 'show', endpoint.id);
  t.like(history, { failing: { since: health.failing_since, exhausted: 7 }, subscriptions: { length: 2 } });
  const [{ from, to }] = history.disabled_periods;
  t.is(from, disabled[0].disabled.since);
  t.true(to > from);

  t.is(timesRepeated(deleted), 1);
  for (const one of deleted) t.like(one, { id: quiet.id, state: 'deleted', rotation: null });
  t.deepEqual(await openedSecrets(quiet.id), [null, null]);
  t.deepEqual((await answer(t, 'webhook', 'list', '--team', film)).data, [chosen]);
  t.like((await answer(t, 'webhook', 'list', '--team', film, '--deleted')).data, { length: 2 });
  t.regex(
    await refusal(t, 'webhook', 'rotate-secret', quiet.id),
    /was deleted; create another with "renderctl webhook create"/,
  );
});
