import test from 'ava';
import type { Entity, EntityKind } from '../../../domain/catalogue/entities.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import {
  type CatalogueReason,
  type CatalogueView,
  entitiesOf,
  evolveCatalogue,
} from '../../../domain/catalogue/evolve.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { metaBy } from '../../helpers/render-facts.ts';

const meta = metaBy('operator:ops');
const ofKind = <K extends EntityKind>(entity: Entity | undefined, kind: K): Extract<Entity, { kind: K }> | null => {
  const is = (e: Entity): e is Extract<Entity, { kind: K }> => e.kind === kind;
  return entity !== undefined && is(entity) ? entity : null;
};

/** Folds the events; the view answers only for what `entitiesOf` announced, as a projector's would. */
const catalogue = (events: readonly CatalogueEvent[]) => {
  const entities = new Map<string, Entity>();
  const step = (event: CatalogueEvent, at: number) => {
    const announced = new Set(entitiesOf(event).map(({ kind, id }) => `${kind} ${id}`));
    const view: CatalogueView = (kind, id) =>
      announced.has(`${kind} ${id}`) ? ofKind(entities.get(`${kind} ${id}`), kind) : null;
    const verdict = evolveCatalogue(view, event, at);
    if (verdict.tag === 'accepted') for (const e of verdict.changes) entities.set(`${e.kind} ${e.id}`, e);
    return verdict;
  };
  const verdicts = events.map((event, i) => step(event, 100 + i));
  return { entities, verdicts, step };
};

const upTo = (type: CatalogueEvent['type']) =>
  CATALOGUE.slice(
    0,
    CATALOGUE.findIndex((e) => e.type === type),
  );
const event = <T extends CatalogueEvent['type']>(
  type: T,
  change: Partial<Extract<CatalogueEvent, { type: T }>> = {},
) => {
  const is = (e: CatalogueEvent): e is Extract<CatalogueEvent, { type: T }> => e.type === type;
  const found = CATALOGUE.find(is);
  if (found === undefined) throw new Error(`no sample of ${type}`);
  return { ...found, ...change };
};

test('every event of an ordinary catalogue is accepted', (t) => {
  t.true(catalogue(CATALOGUE).verdicts.every((verdict) => verdict.tag === 'accepted'));
});

test('a project takes the name, version and time of its last version', (t) => {
  const { entities } = catalogue(CATALOGUE);
  const project = ofKind(entities.get('project proj_1'), 'project');
  t.is(project?.version, 1);
  t.is(project?.created_at, 106);
  t.is(project?.updated_at, 107);
  t.is(ofKind(entities.get('project_version proj_1:1'), 'project_version')?.document, '{"name":"Sale"}');
});

test('a removed member may be added again, and has joined then', (t) => {
  const { entities, verdicts } = catalogue([...CATALOGUE, event('MemberAdded', { role: 'member' })]);
  t.is(verdicts.at(-1)?.tag, 'accepted');
  const membership = ofKind(entities.get('membership team_1/user_1'), 'membership');
  t.like(membership, { removed: false, role: 'member', joined_at: 110 });
});

const otherAccount: CatalogueEvent[] = [
  { type: 'AccountCreated', meta, account_id: 'acc_2', name: 'Other', unlimited_credits: false },
  { type: 'TeamCreated', meta, team_id: 'team_2', account_id: 'acc_2', name: 'Theirs' },
];

const illegal: readonly [string, readonly CatalogueEvent[], CatalogueEvent, CatalogueReason][] = [
  ['an account made twice', CATALOGUE, event('AccountCreated'), 'already_exists'],
  ['credits for an unknown account', [], event('CreditsGranted'), 'account_unknown'],
  ['a grant told twice', CATALOGUE, event('CreditsGranted'), 'already_granted'],
  ['a grant of nothing', upTo('CreditsGranted'), event('CreditsGranted', { credits: 0 }), 'credits_not_positive'],
  ['a team made twice', CATALOGUE, event('TeamCreated'), 'already_exists'],
  ['a team of no account', [], event('TeamCreated'), 'account_unknown'],
  ['a user registered twice', CATALOGUE, event('UserRegistered'), 'already_exists'],
  ['a member of no team', [], event('MemberAdded'), 'team_unknown'],
  ['a member who is no user', upTo('UserRegistered'), event('MemberAdded'), 'user_unknown'],
  ['a member added twice', upTo('ApiKeyIssued'), event('MemberAdded'), 'already_member'],
  ['a removal of who is not a member', upTo('MemberAdded'), event('MemberRemoved'), 'not_a_member'],
  ['a key issued twice', CATALOGUE, event('ApiKeyIssued'), 'already_exists'],
  ['a key of no account', [], event('ApiKeyIssued'), 'account_unknown'],
  ['a key of an unknown user', upTo('UserRegistered'), event('ApiKeyIssued'), 'user_unknown'],
  ['a key that reaches nothing', upTo('ApiKeyIssued'), event('ApiKeyIssued', { team_ids: [] }), 'no_teams'],
  ['a key for an unknown team', upTo('ApiKeyIssued'), event('ApiKeyIssued', { team_ids: ['team_9'] }), 'team_unknown'],
  [
    "a key for another account's team",
    [...upTo('ApiKeyIssued'), ...otherAccount],
    event('ApiKeyIssued', { team_ids: ['team_1', 'team_2'] }),
    'team_of_another_account',
  ],
  ['a revoke of an unknown key', [], event('ApiKeyRevoked'), 'key_unknown'],
  ['a key revoked twice', CATALOGUE, event('ApiKeyRevoked'), 'already_revoked'],
  ['a project made twice', CATALOGUE, event('ProjectCreated'), 'already_exists'],
  ['a project of no team', [], event('ProjectCreated'), 'team_unknown'],
  ['a version of no project', [], event('ProjectVersionAdded'), 'project_unknown'],
  ['a version on an old base', CATALOGUE, event('ProjectVersionAdded'), 'base_version_outdated'],
  [
    'a version that skips a number',
    CATALOGUE,
    event('ProjectVersionAdded', { version: 3, base_version: 1 }),
    'base_version_outdated',
  ],
];

for (const [title, given, when, reason] of illegal) {
  test(`ignored: ${title}`, (t) => {
    t.deepEqual(catalogue(given).step(when, 999), { tag: 'ignored', reason });
  });
}
