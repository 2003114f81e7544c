import test from 'ava';
import type { Entity } from '../../../domain/catalogue/entities.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { outputsDeletedUntil } from '../../../domain/catalogue/retention.ts';
import type { CatalogueReason } from '../../../domain/catalogue/verdict.ts';
import { ROTATION_MS } from '../../../domain/webhooks/endpoint.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { COUNTS, catalogue, ofKind } from './_catalogue.ts';

const meta = metaBy('operator:ops');
const upTo = (type: CatalogueEvent['type']) =>
  CATALOGUE.slice(
    0,
    CATALOGUE.findIndex((e) => e.type === type),
  );
const event = <T extends CatalogueEvent['type']>(
  type: T,
  change: Partial<Extract<CatalogueEvent, { type: T }>> = {},
): Extract<CatalogueEvent, { type: T }> => {
  const is = (e: CatalogueEvent): e is Extract<CatalogueEvent, { type: T }> => e.type === type;
  const found = CATALOGUE.find(is);
  if (found === undefined) throw new Error(`no sample of ${type}`);
  return { ...found, ...change };
};

/** The time at which the fold of CATALOGUE got its event of that type. */
const timeOf = (type: CatalogueEvent['type']): number => 100 + CATALOGUE.findIndex((e) => e.type === type);
const keyUntil = (expires_at: number) => [...upTo('ApiKeyIssued'), event('ApiKeyIssued', { expires_at })];

test('every event of an ordinary catalogue is accepted', (t) => {
  t.true(catalogue(CATALOGUE).verdicts.every((verdict) => verdict.tag === 'accepted'));
});

test('the first still of a version is shown until a newer version has one', (t) => {
  const second = event('ProjectVersionAdded', { version: 2, base_version: 1 });
  const { entities, step } = catalogue([...upTo('ProjectThumbnailMade'), second]);
  const shown = () => ofKind(entities.get('project_thumbnail proj_1'), 'project_thumbnail');
  const still = (version: number, path: string) => step(event('ProjectThumbnailMade', { version, path }), 999);

  t.deepEqual(still(3, 'c'), { tag: 'ignored', reason: 'version_unknown' });
  t.deepEqual(still(0, 'z'), { tag: 'ignored', reason: 'version_unknown' });
  t.is(shown(), null);
  t.is(still(1, 'a').tag, 'accepted');
  t.deepEqual(still(1, 'again'), { tag: 'ignored', reason: 'already_made' });
  t.is(shown()?.path, 'a');
  t.is(still(2, 'b').tag, 'accepted');
  t.deepEqual(still(1, 'late'), { tag: 'ignored', reason: 'newer_one_made' });
  t.like(shown(), { version: 2, path: 'b', made_at: 999 });
  t.deepEqual(step(event('ProjectThumbnailMade', { project_id: 'proj_2' }), 999), {
    tag: 'ignored',
    reason: 'project_unknown',
  });
});

test('an erased project has no name, accepts no event and is no longer counted', (t) => {
  const salt = '00';
  const payload = { path: 'projects/proj_1/name.json', sha256: 'aa' };
  const created = { ...event('ProjectCreated'), payload, salt };
  const { entities, step } = catalogue([...upTo('ProjectCreated'), created]);
  t.is(step(event('ProjectVersionAdded'), 200).tag, 'accepted');
  const project = () => ofKind(entities.get('project proj_1'), 'project');
  const used = () => ofKind(entities.get('account_usage acc_1'), 'account_usage')?.projects;
  t.like(project()?.created_with, { salt });
  t.is(used(), 1);

  const erasure: CatalogueEvent = {
    type: 'ProjectErased',
    rules: 1,
    meta: event('ProjectCreated').meta,
    project_id: 'proj_1',
  };
  t.deepEqual(step({ ...erasure, project_id: 'proj_2' }, 300), { tag: 'ignored', reason: 'project_unknown' });
  t.is(step(erasure, 300).tag, 'accepted');
  const { actor: by, event_id } = erasure.meta;
  t.like(project(), { name: null, version: 1, team_id: 'team_1', erased: { at: 300, by, event_id } });
  t.is(project()?.created_with, undefined);
  t.is(used(), 0);

  const ignored = (reason: string) => ({ tag: 'ignored', reason });
  t.deepEqual(step(erasure, 400), ignored('already_erased'));
  t.deepEqual(step(event('ProjectVersionAdded', { version: 2, base_version: 1 }), 400), ignored('project_erased'));
  t.deepEqual(step(event('ProjectThumbnailMade'), 400), ignored('project_erased'));
  t.deepEqual(step(created, 400), ignored('already_exists'));
  t.is(used(), 0);
});

test('a project takes the name, version and time of its last version', (t) => {
  const { entities } = catalogue(CATALOGUE);
  const project = ofKind(entities.get('project proj_1'), 'project');
  t.is(project?.version, 1);
  t.is(project?.created_at, timeOf('ProjectCreated'));
  t.is(project?.updated_at, timeOf('ProjectVersionAdded'));
  t.is(ofKind(entities.get('project_version proj_1:1'), 'project_version')?.document, '{"name":"Sale"}');
});

test('a removed member can be added again, with a new joining time', (t) => {
  const { entities, verdicts } = catalogue([...CATALOGUE, event('MemberAdded', { role: 'member' })]);
  t.is(verdicts.at(-1)?.tag, 'accepted');
  const membership = ofKind(entities.get('membership team_1/user_1'), 'membership');
  t.like(membership, { removed: false, role: 'member', joined_at: 100 + CATALOGUE.length });
});

/** Given, when, the changes of each entity, and the reason for which a second copy of the event is ignored. */
const changes: readonly [
  string,
  readonly CatalogueEvent[],
  CatalogueEvent,
  Readonly<Record<string, Partial<Entity>>>,
  CatalogueReason,
][] = [
  [
    'an account is renamed',
    upTo('AccountRenamed'),
    event('AccountRenamed'),
    { 'account acc_1': { name: 'Acme Films' } },
    'already_so',
  ],
  [
    'credits are limited',
    upTo('CreditLimitImposed'),
    event('CreditLimitImposed'),
    { 'account acc_1': { unlimited_credits: false } },
    'already_so',
  ],
  [
    'the limit of credits is removed',
    upTo('CreditLimitLifted'),
    event('CreditLimitLifted'),
    { 'account acc_1': { unlimited_credits: true } },
    'already_so',
  ],
  [
    'credits are granted',
    upTo('CreditsGranted'),
    event('CreditsGranted'),
    { 'account acc_1': { granted_credits: 500 }, 'credit_grant acc_1/grant_1': { credits: 500, created_at: 777 } },
    'already_granted',
  ],
  [
    'a team is renamed',
    upTo('TeamRenamed'),
    event('TeamRenamed'),
    { 'team team_1': { name: 'Film studio' } },
    'already_so',
  ],
  [
    'an address is changed',
    upTo('UserEmailChanged'),
    event('UserEmailChanged'),
    { 'user user_1': { email: { path: 'users/user_1/email-2.json', sha256: 'ab' } } },
    'already_so',
  ],
  [
    'an address is removed',
    CATALOGUE,
    event('UserEmailChanged', { email: null }),
    { 'user user_1': { email: null } },
    'already_so',
  ],
  [
    'a role changes and the rest of the membership stays',
    upTo('MemberRoleChanged'),
    event('MemberRoleChanged'),
    { 'membership team_1/user_1': { role: 'member', joined_at: timeOf('MemberAdded'), removed: false } },
    'already_so',
  ],
  [
    'a rotated key ends after the overlap',
    upTo('ApiKeyRotated'),
    event('ApiKeyRotated', { overlap_until: 5_000 }),
    {
      'api_key key_1': { expires_at: 5_000, revoked_at: null, replaced_by: 'key_2', secret_sha256: 'bb' },
      'api_key key_2': {
        account_id: 'acc_1',
        user_id: 'user_1',
        team_ids: ['team_1'],
        name: 'CI',
        secret_sha256: 'bc',
        prefix: 'vr_efgh',
        last4: 'stuv',
        created_at: 777,
        expires_at: 1_900_000_000_000,
        revoked_at: null,
        replaced_by: null,
      },
    },
    'already_exists',
  ],
  [
    'a rotation without overlap revokes the former key at once',
    upTo('ApiKeyRotated'),
    event('ApiKeyRotated', { overlap_until: 0 }),
    {
      'api_key key_1': { expires_at: null, revoked_at: 777, replaced_by: 'key_2' },
      'api_key key_2': { revoked_at: null },
    },
    'already_exists',
  ],
  [
    'a rotated key that expires within the overlap keeps its expiry',
    keyUntil(2_000),
    event('ApiKeyRotated', { overlap_until: 5_000 }),
    { 'api_key key_1': { expires_at: 2_000 }, 'api_key key_2': { name: 'CI' } },
    'already_exists',
  ],
  [
    'a key rotates in the last moment before it expires',
    keyUntil(778),
    event('ApiKeyRotated', { overlap_until: 5_000 }),
    { 'api_key key_1': { expires_at: 778 }, 'api_key key_2': { name: 'CI' } },
    'already_exists',
  ],
  [
    'a webhook endpoint is created',
    upTo('WebhookEndpointCreated'),
    event('WebhookEndpointCreated', { events: ['render.failed', 'render.complete', 'render.failed'] }),
    {
      'webhook_endpoint whe_1': {
        team_id: 'team_1',
        url: 'https://hooks.example.com/renders',
        created_at: 777,
        subscriptions: [{ since: 777, events: ['render.complete', 'render.failed'] }],
        disabled: [],
        secret: 'v1.aXY.c2VhbGVk',
        next_secret: null,
        deleted_at: null,
      },
      'team_webhooks team_1': { endpoint_ids: ['whe_1'] },
    },
    'already_exists',
  ],
  [
    "an endpoint's events change, and the former events stay known",
    upTo('WebhookEventsChosen'),
    event('WebhookEventsChosen'),
    {
      'webhook_endpoint whe_1': {
        subscriptions: [
          { since: timeOf('WebhookEndpointCreated'), events: ['render.complete', 'render.failed'] },
          { since: 777, events: ['render.status_changed'] },
        ],
      },
    },
    'already_so',
  ],
  [
    'a rotated secret leaves the former one valid',
    upTo('WebhookSecretRotated'),
    event('WebhookSecretRotated'),
    {
      'webhook_endpoint whe_1': { secret: 'v1.aXY.c2VhbGVk', next_secret: { sealed: 'v1.aXY.bmV3', since: 777 } },
    },
    'already_so',
  ],
  [
    'a secret is activated',
    upTo('WebhookSecretActivated'),
    event('WebhookSecretActivated'),
    { 'webhook_endpoint whe_1': { secret: 'v1.aXY.bmV3', next_secret: null } },
    'already_so',
  ],
  [
    'an endpoint is disabled',
    upTo('WebhookEndpointDisabled'),
    event('WebhookEndpointDisabled', { reason: 'gone' }),
    { 'webhook_endpoint whe_1': { disabled: [{ from: 777, to: null, reason: 'gone' }] } },
    'already_so',
  ],
  [
    'an endpoint is enabled and keeps its disabled period',
    upTo('WebhookEndpointEnabled'),
    event('WebhookEndpointEnabled'),
    {
      'webhook_endpoint whe_1': {
        disabled: [{ from: timeOf('WebhookEndpointDisabled'), to: 777, reason: 'by_hand' }],
      },
    },
    'already_so',
  ],
  [
    'an endpoint deleted in mid-rotation loses its secrets',
    upTo('WebhookSecretActivated'),
    event('WebhookEndpointDeleted'),
    {
      'webhook_endpoint whe_1': { deleted_at: 777, secret: '', next_secret: null, team_id: 'team_1' },
      'team_webhooks team_1': { endpoint_ids: [] },
    },
    'already_so',
  ],
];

for (const [title, given, when, then, repeated] of changes) {
  test(`${title}; a repeat is void`, (t) => {
    const { step, entities } = catalogue(given);
    const before = new Map(entities);
    t.is(step(when, 777).tag, 'accepted');
    for (const [address, entity] of Object.entries(then)) t.like(entities.get(address), entity);
    const touched = [...entities].filter(
      ([address, entity]) => before.get(address) !== entity && !COUNTS.includes(entity.kind),
    );
    t.deepEqual(touched.map(([address]) => address).toSorted(), Object.keys(then).toSorted());
    const after = structuredClone([...entities]);
    t.deepEqual(step(when, 778), { tag: 'ignored', reason: repeated });
    t.deepEqual([...entities], after);
  });
}

const otherAccount: CatalogueEvent[] = [
  { type: 'AccountCreated', rules: 0, meta, account_id: 'acc_2', name: 'Other', unlimited_credits: false },
  { type: 'TeamCreated', rules: 0, meta, team_id: 'team_2', account_id: 'acc_2', name: 'Theirs' },
];

const withEndpoint = upTo('WebhookEventsChosen');
const twenty = [
  ...upTo('WebhookEndpointCreated'),
  ...Array.from({ length: 20 }, (_, i) => event('WebhookEndpointCreated', { endpoint_id: `whe_${i + 1}` })),
];

const illegal: readonly [string, readonly CatalogueEvent[], CatalogueEvent, CatalogueReason][] = [
  ['a second creation of an account', CATALOGUE, event('AccountCreated'), 'already_exists'],
  ['credits for an unknown account', [], event('CreditsGranted'), 'account_unknown'],
  ['a repeated grant', CATALOGUE, event('CreditsGranted'), 'already_granted'],
  ['a grant of zero credits', upTo('CreditsGranted'), event('CreditsGranted', { credits: 0 }), 'credits_not_positive'],
  [
    'a grant that makes sums of credits inexact',
    upTo('TeamCreated'),
    event('CreditsGranted', { grant_id: 'grant_2', credits: Number.MAX_SAFE_INTEGER }),
    'too_many_credits',
  ],
  ['a second creation of a team', CATALOGUE, event('TeamCreated'), 'already_exists'],
  ['a team of an unknown account', [], event('TeamCreated'), 'account_unknown'],
  ['a second registration of a user', CATALOGUE, event('UserRegistered'), 'already_exists'],
  ['a member of an unknown team', [], event('MemberAdded'), 'team_unknown'],
  ['an unknown user as member', upTo('UserRegistered'), event('MemberAdded'), 'user_unknown'],
  ['a second addition of a member', upTo('ApiKeyIssued'), event('MemberAdded'), 'already_member'],
  ['a removal of a non-member', upTo('MemberAdded'), event('MemberRemoved'), 'not_a_member'],
  ['a second issue of a key', CATALOGUE, event('ApiKeyIssued'), 'already_exists'],
  ['a key of an unknown account', [], event('ApiKeyIssued'), 'account_unknown'],
  ['a key of an unknown user', upTo('UserRegistered'), event('ApiKeyIssued'), 'user_unknown'],
  ['a key without teams', upTo('ApiKeyIssued'), event('ApiKeyIssued', { team_ids: [] }), 'no_teams'],
  ['a key for an unknown team', upTo('ApiKeyIssued'), event('ApiKeyIssued', { team_ids: ['team_9'] }), 'team_unknown'],
  [
    "a key for another account's team",
    [...upTo('ApiKeyIssued'), ...otherAccount],
    event('ApiKeyIssued', { team_ids: ['team_1', 'team_2'] }),
    'team_of_another_account',
  ],
  ['a new name for an unknown account', [], event('AccountRenamed'), 'account_unknown'],
  ['a limit for an unknown account', [], event('CreditLimitImposed'), 'account_unknown'],
  ['a removed limit for an unknown account', [], event('CreditLimitLifted'), 'account_unknown'],
  ['a new name for an unknown team', [], event('TeamRenamed'), 'team_unknown'],
  ['an address of an unknown user', [], event('UserEmailChanged'), 'user_unknown'],
  ['a role in an unknown team', [], event('MemberRoleChanged'), 'team_unknown'],
  ['a role of an unknown user', upTo('UserRegistered'), event('MemberRoleChanged'), 'user_unknown'],
  ['a role of a non-member', upTo('MemberAdded'), event('MemberRoleChanged'), 'not_a_member'],
  ['a role of a former member', CATALOGUE, event('MemberRoleChanged', { role: 'admin' }), 'not_a_member'],
  ['a rotation of an unknown key', [], event('ApiKeyRotated'), 'key_unknown'],
  [
    'a rotation into an existing key',
    keyUntil(5_000),
    event('ApiKeyRotated', { new_key_id: 'key_1' }),
    'already_exists',
  ],
  [
    'a second rotation of one key',
    upTo('ProjectCreated'),
    event('ApiKeyRotated', { new_key_id: 'key_3', secret_sha256: 'bd' }),
    'already_rotated',
  ],
  [
    'a rotation of a revoked key',
    [...upTo('ApiKeyRotated'), event('ApiKeyRevoked')],
    event('ApiKeyRotated'),
    'key_revoked',
  ],
  ['a rotation of a key that expires at that moment', keyUntil(999), event('ApiKeyRotated'), 'key_expired'],
  ['a rotation to the same secret', keyUntil(5_000), event('ApiKeyRotated', { secret_sha256: 'bb' }), 'secret_in_use'],
  ['a revocation of an unknown key', [], event('ApiKeyRevoked'), 'key_unknown'],
  ['a second revocation of a key', CATALOGUE, event('ApiKeyRevoked'), 'already_revoked'],
  ['a second creation of a project', CATALOGUE, event('ProjectCreated'), 'already_exists'],
  ['a project of an unknown team', [], event('ProjectCreated'), 'team_unknown'],
  ['a version of an unknown project', [], event('ProjectVersionAdded'), 'project_unknown'],
  ['a version with an outdated base', CATALOGUE, event('ProjectVersionAdded'), 'base_version_outdated'],
  [
    'a version that skips a number',
    CATALOGUE,
    event('ProjectVersionAdded', { version: 3, base_version: 1 }),
    'base_version_outdated',
  ],
  ['an endpoint of an unknown team', [], event('WebhookEndpointCreated'), 'team_unknown'],
  [
    'an endpoint without TLS',
    upTo('WebhookEndpointCreated'),
    event('WebhookEndpointCreated', { url: 'http://hooks.example.com' }),
    'url_not_https',
  ],
  [
    'an endpoint with an endless URL',
    upTo('WebhookEndpointCreated'),
    event('WebhookEndpointCreated', { url: `https://a.example/${'x'.repeat(1_983)}` }),
    'url_not_https',
  ],
  [
    'an endpoint without events',
    upTo('WebhookEndpointCreated'),
    event('WebhookEndpointCreated', { events: [] }),
    'no_events',
  ],
  [
    'an endpoint with an unknown event',
    upTo('WebhookEndpointCreated'),
    event('WebhookEndpointCreated', { events: ['render.complete', 'render.moved'] }),
    'event_unknown',
  ],
  [
    'a 21st endpoint of a team',
    twenty,
    event('WebhookEndpointCreated', { endpoint_id: 'whe_21' }),
    'too_many_endpoints',
  ],
  ['an empty list of events', withEndpoint, event('WebhookEventsChosen', { events: [] }), 'no_events'],
  [
    'a list with an unknown event',
    withEndpoint,
    event('WebhookEventsChosen', { events: ['render.moved'] }),
    'event_unknown',
  ],
  [
    'the same list of events, in another order and repeated',
    withEndpoint,
    event('WebhookEventsChosen', { events: ['render.failed', 'render.complete', 'render.failed'] }),
    'already_so',
  ],
  [
    'an activation of a secret that another rotation replaced',
    [...upTo('WebhookSecretActivated'), event('WebhookSecretRotated', { secret: 'third' })],
    event('WebhookSecretActivated'),
    'no_rotation',
  ],
  [
    'a disabling that was decided before the endpoint was enabled again',
    upTo('WebhookEndpointDeleted'),
    event('WebhookEndpointDisabled', { reason: 'gone', enabled_since: timeOf('WebhookEndpointCreated') }),
    'enabled_meanwhile',
  ],
  ['an activation of an unknown rotation', withEndpoint, event('WebhookSecretActivated'), 'no_rotation'],
  ['an enabling of an enabled endpoint', withEndpoint, event('WebhookEndpointEnabled'), 'already_so'],
  [
    "a deletion of another team's endpoint",
    [...withEndpoint, ...otherAccount],
    event('WebhookEndpointDeleted', { team_id: 'team_2' }),
    'endpoint_of_another_team',
  ],
  ['a creation of an endpoint under a deleted id', CATALOGUE, event('WebhookEndpointCreated'), 'already_exists'],
  ['new events of a deleted endpoint', CATALOGUE, event('WebhookEventsChosen'), 'endpoint_deleted'],
  ['a new secret for a deleted endpoint', CATALOGUE, event('WebhookSecretRotated'), 'endpoint_deleted'],
  ['an activation of a secret of a deleted endpoint', CATALOGUE, event('WebhookSecretActivated'), 'endpoint_deleted'],
  ['a disabling of a deleted endpoint', CATALOGUE, event('WebhookEndpointDisabled'), 'endpoint_deleted'],
  ['an enabling of a deleted endpoint', CATALOGUE, event('WebhookEndpointEnabled'), 'endpoint_deleted'],
  ['new events of an unknown endpoint', [], event('WebhookEventsChosen'), 'endpoint_unknown'],
  ['a new secret for an unknown endpoint', [], event('WebhookSecretRotated'), 'endpoint_unknown'],
  ['an activation of a secret of an unknown endpoint', [], event('WebhookSecretActivated'), 'endpoint_unknown'],
  ['a disabling of an unknown endpoint', [], event('WebhookEndpointDisabled'), 'endpoint_unknown'],
  ['an enabling of an unknown endpoint', [], event('WebhookEndpointEnabled'), 'endpoint_unknown'],
  ['a deletion of an unknown endpoint', [], event('WebhookEndpointDeleted'), 'endpoint_unknown'],
];

for (const [title, given, when, reason] of illegal) {
  test(`the fold ignores ${title}`, (t) => {
    t.deepEqual(catalogue(given).step(when, 999), { tag: 'ignored', reason });
  });
}

test('deleting one of 20 endpoints makes room for exactly one', (t) => {
  const { step } = catalogue(twenty);
  t.is(step(event('WebhookEndpointDeleted', { endpoint_id: 'whe_7' }), 999).tag, 'accepted');
  t.is(step(event('WebhookEndpointCreated', { endpoint_id: 'whe_21' }), 999).tag, 'accepted');
  t.is(step(event('WebhookEndpointCreated', { endpoint_id: 'whe_22' }), 999).tag, 'ignored');
});

const endpointOf = (entities: ReadonlyMap<string, Entity>) =>
  ofKind(entities.get('webhook_endpoint whe_1'), 'webhook_endpoint');

test('a rotated secret replaces the old one a day after the rotation starts', (t) => {
  const { entities, step } = catalogue(upTo('WebhookSecretActivated'));
  const over = timeOf('WebhookSecretRotated') + ROTATION_MS;
  t.deepEqual(step(event('WebhookSecretActivated'), over), { tag: 'ignored', reason: 'already_so' });
  t.is(step(event('WebhookSecretRotated', { secret: 'third' }), over).tag, 'accepted');
  t.like(endpointOf(entities), { secret: 'v1.aXY.bmV3', next_secret: { sealed: 'third', since: over } });
});

test('a second rotation within a day replaces the first and restarts its time', (t) => {
  const { entities, step } = catalogue(upTo('WebhookSecretActivated'));
  const soon = timeOf('WebhookSecretRotated') + ROTATION_MS - 1;
  t.is(step(event('WebhookSecretRotated', { secret: 'third' }), soon).tag, 'accepted');
  t.like(endpointOf(entities), { secret: 'v1.aXY.c2VhbGVk', next_secret: { sealed: 'third', since: soon } });
  t.is(step(event('WebhookSecretActivated', { secret: 'third' }), soon + 1).tag, 'accepted');
  t.is(endpointOf(entities)?.secret, 'third');
});

test('an endpoint keeps its last 50 changes', (t) => {
  const { entities, step } = catalogue(withEndpoint);
  for (let n = 0; n < 120; n += 1) {
    step(event('WebhookEventsChosen', { events: [n % 2 === 0 ? 'render.failed' : 'render.complete'] }), 1_000 + n);
    step(event('WebhookEndpointDisabled'), 1_000 + n);
    step(event('WebhookEndpointEnabled'), 1_000 + n);
  }
  const { subscriptions = [], disabled = [] } = endpointOf(entities) ?? {};
  t.deepEqual([subscriptions.length, subscriptions[0]?.since, subscriptions.at(-1)?.since], [50, 1_070, 1_119]);
  t.deepEqual([disabled.length, disabled[0]?.from, disabled.at(-1)?.to], [50, 1_070, 1_119]);
});

test('an endpoint is disabled only for failures since it was last enabled', (t) => {
  const { entities, step } = catalogue(upTo('WebhookEndpointDeleted'));
  const enabled_since = timeOf('WebhookEndpointEnabled');
  t.is(step(event('WebhookEndpointDisabled', { reason: 'gone', enabled_since }), 999).tag, 'accepted');
  t.like(endpointOf(entities)?.disabled.at(-1), { from: 999, to: null, reason: 'gone' });
});

test('a clock that moves back does not invert a period', (t) => {
  const { entities, step } = catalogue(withEndpoint);
  step(event('WebhookEndpointDisabled'), 500);
  step(event('WebhookEndpointEnabled'), 400);
  step(event('WebhookEndpointDisabled'), 300);
  step(event('WebhookEventsChosen', { events: ['render.failed'] }), 50);
  t.deepEqual(
    endpointOf(entities)?.disabled.map(({ from, to }) => [from, to]),
    [
      [500, 500],
      [500, null],
    ],
  );
  step(event('WebhookSecretRotated'), 50);
  step(event('WebhookEndpointDeleted'), 50);
  const { subscriptions = [], deleted_at } = endpointOf(entities) ?? {};
  t.deepEqual([subscriptions.at(-1)?.since, deleted_at], [500, 500]);
});

test('a longer retention does not restore deleted outputs', (t) => {
  const DAY_MS = 86_400_000;
  const { entities, step } = catalogue(upTo('AccountRetentionSet'));
  const keep = (days: number | null, at_day: number): void => {
    t.is(step(event('AccountRetentionSet', { days }), at_day * DAY_MS).tag, 'accepted');
  };
  const goneUntil = (day: number): number => {
    const retention = ofKind(entities.get('account_retention acc_1'), 'account_retention');
    return outputsDeletedUntil(retention, day * DAY_MS) / DAY_MS;
  };
  t.is(goneUntil(500), 0);
  keep(90, 100);
  t.is(goneUntil(100), 10);
  t.is(goneUntil(130), 40);
  keep(365, 130);
  t.is(goneUntil(131), 40, 'not the retention of a year');
  t.is(step(event('AccountRetentionSet', { what: 'media', days: 3 }), 200 * DAY_MS).tag, 'accepted');
  t.is(goneUntil(500), 135);
  keep(null, 500);
  t.is(goneUntil(9_999), 135);
});
