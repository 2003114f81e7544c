import test from 'ava';
import { AUDIT_KINDS, auditPhrase, isAuditKind, isCatalogueAuditKind } from '../../../domain/audit/kinds.ts';
import { CATALOGUE_EVENTS, type CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { foldCatalogue, referencedEntities } from '../../../projectors/catalogue/fold-batch.ts';
import { auditDocument, entryOfDocument } from '../../../read-models/audit/codec.ts';
import type { AuditEntry } from '../../../read-models/audit/documents.ts';
import { catalogueEntries } from '../../helpers/batch-entries.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { metaBy } from '../../helpers/render-events.ts';

/** The audit of a log from its beginning, folded again with missing entities, as the projection does. */
const auditOf = (events: readonly CatalogueEvent[]): readonly AuditEntry[] => {
  const entries = catalogueEntries(events);
  let loaded = referencedEntities(entries);
  for (;;) {
    const { after, missing } = foldCatalogue(loaded, [], entries);
    if (missing.length === 0) return after.audit;
    loaded = [...loaded, ...missing];
  }
};

const meta = metaBy('operator:ops');
const account = (account_id: string): CatalogueEvent => ({
  ...{ type: 'AccountCreated', rules: 0, meta, account_id, name: 'Secret plans', unlimited_credits: true },
});
const team = (team_id: string, account_id: string): CatalogueEvent => ({
  ...{ type: 'TeamCreated', rules: 0, meta, team_id, account_id, name: 'Secret team' },
});
const user = (user_id: string): CatalogueEvent => ({ type: 'UserRegistered', rules: 0, meta, user_id, email: null });
const member = (team_id: string, user_id: string, actor = 'operator:ops', rules = 0): CatalogueEvent => ({
  ...{ type: 'MemberAdded', rules, meta: metaBy(actor), team_id, user_id, role: 'member' },
});
const key = (key_id: string, account_id: string, team_ids: readonly string[], user_id: string | null = null) =>
  ({
    ...{ type: 'ApiKeyIssued', rules: 1, meta, key_id, account_id, user_id, team_ids: [...team_ids], name: 'CI' },
    ...{ secret_sha256: `sha of ${key_id}`, prefix: 'vr_abcd', last4: 'wxyz', expires_at: null, scopes: null },
  }) as const satisfies CatalogueEvent;

const WORLD = [account('acc_1'), account('acc_2'), team('team_1', 'acc_1'), team('team_2', 'acc_1')];
const OTHERS = team('team_3', 'acc_2');

const last = (events: readonly CatalogueEvent[]) => {
  const entry = auditOf(events).at(-1);
  if (entry === undefined) throw new Error('no entry');
  return entry;
};

const reach = (events: readonly CatalogueEvent[]) => {
  const { account_id, team_ids, refused } = last(events);
  return [account_id, team_ids, refused];
};

const EVERY: readonly CatalogueEvent[] = [
  ...CATALOGUE,
  { type: 'ProjectErased', rules: 1, meta, project_id: 'proj_1' },
  { type: 'UserErased', rules: 1, meta, user_id: 'user_1' },
  { type: 'AccountErased', rules: 1, meta, account_id: 'acc_1' },
];

test('every catalogue record has an audit entry for its account or a user', (t) => {
  const audit = auditOf(EVERY);
  t.deepEqual(
    audit.map(({ kind, offset }) => [kind, offset]),
    EVERY.map(({ type }, offset) => [type, offset]),
  );
  t.deepEqual(new Set(audit.map(({ kind }) => kind)).size, Object.keys(CATALOGUE_EVENTS).length);
  const of_a_user = ['UserRegistered', 'UserEmailChanged', 'IdentityLinked', 'IdentityUnlinked', 'UserErased'];
  for (const { kind, account_id, refused } of audit) {
    t.is(account_id, of_a_user.includes(kind) ? null : 'acc_1', kind);
    t.is(refused, null, kind);
  }
  t.deepEqual(
    audit.flatMap(({ kind, team_ids }) => (team_ids.length > 0 ? [kind] : [])).length,
    EVERY.filter(
      ({ type }) =>
        !of_a_user.includes(type) &&
        (!/^(Account|Credit|DeliveryRetention|DownloadNaming)/.test(type) || type === 'TeamCreated'),
    ).length - 2, // The invitation of an owner belongs to no team.
  );
});

test('an audit entry has the actor, time and position of its record', (t) => {
  const [first] = auditOf([{ ...account('acc_1'), meta: metaBy('operator:on-call') }]);
  t.like(first, {
    ...{ actor: 'operator:on-call', at: 1_000, topic: 'catalogue-events', partition: 2, offset: 0 },
    ...{ kind: 'AccountCreated', event_id: meta.event_id },
  });
});

test('the audit contains no name, address, secret, hash or document', (t) => {
  const told = JSON.stringify(auditOf(CATALOGUE));
  const untold = [
    'Acme',
    'tudio',
    'Sale',
    '"CI"',
    'example.com',
    'v1.aXY',
    'vr_',
    'wxyz',
    'stuv',
    'email.json',
    '.jpg',
  ];
  for (const text of [...untold, ...['aa', 'ab', 'bb', 'bc', 'cc', 'cd', 'de', 'df', 'e0'].map((hash) => `"${hash}"`)])
    t.false(told.includes(text), text);
});

test('an entry describes a change by ids and by values that are not secret', (t) => {
  const told = (kind: string) => {
    const { ids, details } = auditOf(EVERY).find((one) => one.kind === kind) ?? {};
    return [ids, details];
  };
  t.deepEqual(told('MemberRoleChanged'), [{ team_id: 'team_1', user_id: 'user_1' }, { role: 'member' }]);
  t.deepEqual(told('CreditsGranted'), [{ account_id: 'acc_1', grant_id: 'grant_1' }, { credits: 500 }]);
  t.deepEqual(told('AccountLimitSet'), [{ account_id: 'acc_1' }, { resource: 'keys', most: 20 }]);
  t.deepEqual(told('UserErased'), [{ user_id: 'user_1' }, {}]);
  t.deepEqual(told('AccountErased'), [{ account_id: 'acc_1' }, {}]);
  t.deepEqual(told('AccountRetentionSet'), [{ account_id: 'acc_1' }, { what: 'outputs', days: 90 }]);
  t.deepEqual(told('DeliveryRetentionSet'), [{ account_id: 'acc_1' }, { days: 3 }]);
  t.deepEqual(told('DownloadNamingSet'), [{ account_id: 'acc_1' }, { named_by: 'id' }]);
  t.deepEqual(told('WebhookEventsChosen'), [{ endpoint_id: 'whe_1' }, { events: 'render.status_changed' }]);
  t.deepEqual(told('ApiKeyRotated')[0], { key_id: 'key_1', new_key_id: 'key_2' });
});

test('an event of a key belongs to all teams that the key reaches', (t) => {
  const issued = [...WORLD, key('key_1', 'acc_1', ['team_1', 'team_2'])];
  t.deepEqual(reach(issued), ['acc_1', ['team_1', 'team_2'], null]);
  const revoked: CatalogueEvent = { type: 'ApiKeyRevoked', rules: 0, meta, key_id: 'key_1' };
  t.deepEqual(reach([...issued, revoked]), ['acc_1', ['team_1', 'team_2'], null]);
  t.deepEqual(reach([...issued, revoked, revoked]), ['acc_1', ['team_1', 'team_2'], 'already_revoked']);
});

test('an audit entry names the keys that end with a membership', (t) => {
  const joined = [...WORLD, user('user_1'), member('team_1', 'user_1'), key('key_1', 'acc_1', ['team_1'], 'user_1')];
  const removed: CatalogueEvent = { type: 'MemberRemoved', rules: 0, meta, team_id: 'team_1', user_id: 'user_1' };
  t.deepEqual(last([...joined, removed]).ids, { team_id: 'team_1', user_id: 'user_1', ended_key_ids: ['key_1'] });
});

test('contradictory records and records of unknown entities belong to no account', (t) => {
  const world = [...WORLD, OTHERS];
  t.deepEqual(reach([...world, key('key_1', 'acc_1', ['team_1', 'team_3'])]), [null, [], 'team_of_another_account']);
  t.deepEqual(reach([...world, key('key_1', 'acc_2', ['team_1'])]), [null, [], 'team_of_another_account']);
  t.deepEqual(reach([...world, team('team_3', 'acc_1')]), [null, [], 'already_exists']);
  t.deepEqual(reach([...world, member('team_9', 'user_1')]), [null, [], 'team_unknown']);
  t.deepEqual(reach([...world, key('key_1', 'acc_9', ['team_9'])]), [null, [], 'account_unknown']);
});

test('a team that is created later has no entries of earlier refused records', (t) => {
  const [, refused] = auditOf([account('acc_1'), member('team_1', 'user_1'), team('team_1', 'acc_1')]);
  t.like(refused, { account_id: null, team_ids: [], refused: 'team_unknown' });
});

test('an attempt on a team belongs to the account of the team', (t) => {
  const foreign = member('team_3', 'user_1', 'user:user_1', 1);
  t.deepEqual(reach([...WORLD, OTHERS, user('user_1'), foreign]), ['acc_2', ['team_3'], 'admin_needed']);
});

test('an entry is listed once for each scope, and by kind and actor there', (t) => {
  const entry = last([...WORLD, key('key_1', 'acc_1', ['team_1', 'team_2'])]);
  const { _id, lists, position } = auditDocument(entry);
  t.is(_id, 'catalogue-events/2/4');
  t.is(position, '0000000001004catalogue-events/2/0000000000004');
  t.is(lists.filter((token) => JSON.parse(token)[1] === 0).length, 3 * 4);
  t.deepEqual(entryOfDocument(auditDocument(entry)), entry);
});

test('each kind has a description and a source log', (t) => {
  for (const kind of AUDIT_KINDS) t.true(isAuditKind(kind) && auditPhrase(kind).length > 5, kind);
  t.deepEqual(
    AUDIT_KINDS.filter((kind) => !isCatalogueAuditKind(kind)),
    ['RenderRequested', 'RenderCancelled', 'RenderErased'],
  );
  t.false(isAuditKind('toString'));
});
