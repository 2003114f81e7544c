import test from 'ava';
import fc from 'fast-check';
import { type ApiKey, type Entity, type EntityKind, isOfKind } from '../../../domain/catalogue/entities.ts';
import { removesErasedMember } from '../../../domain/catalogue/erasure.ts';
import { CATALOGUE_EVENTS, type CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { emptyUsage, LIMITED_RESOURCES, limitOf, usageAt } from '../../../domain/catalogue/limits.ts';
import { RETAINED_RENDER_DATA } from '../../../domain/catalogue/retention.ts';
import { isAuthorizationChecked } from '../../../domain/catalogue/rules.ts';
import type { CatalogueView } from '../../../domain/catalogue/verdict.ts';
import { userOfActor } from '../../../domain/event/meta.ts';
import { deliveryObligation, MAX_ENDPOINTS_OF_A_TEAM, signingSecrets } from '../../../domain/webhooks/endpoint.ts';
import { EVENT_KINDS } from '../../../domain/webhooks/event-kinds.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { runs } from '../../helpers/runs.ts';
import { catalogue, ofKind } from './_catalogue.ts';

/** Operators, and people with any role or none. */
const meta = fc
  .constantFrom('operator:ops', 'operator:ops', 'operator:ops', 'user:user_1', 'user:user_2', 'relay:rel_1')
  .map(metaBy);
/** Mostly the newest rules, and some older ones. */
const rules = fc.constantFrom(0, 1, 1, 3, 4);
/** Few of each, so that events meet: an entity can be unknown, existing, or in another account. */
const among = (prefix: string) => fc.constantFrom(`${prefix}_1`, `${prefix}_2`);
const account_id = among('acc');
const team_id = among('team');
const user_id = among('user');
const key_id = fc.constantFrom('key_1', 'key_2', 'key_3', 'key_4');
const project_id = fc.constantFrom('proj_1', 'proj_2', 'proj_inline_1');
const payload = fc.option(fc.record({ path: among('projects/proj_1/a'), sha256: fc.constant('aa') }));
const name = fc.constantFrom('A', 'B');
const role = fc.constantFrom('admin' as const, 'member' as const);
const email = fc.option(fc.record({ path: among('users/user_1/email'), sha256: fc.constant('aa') }));
const secret = {
  secret_sha256: fc.constantFrom('a', 'b', 'c', 'd'),
  prefix: fc.constant('vr_a'),
  last4: fc.constant('z'),
};
/** Around the times of the appends, which are 0, 10, 20 … */
const time = fc.integer({ min: -5, max: 400 });
const invitation_id = fc.constantFrom('inv_1', 'inv_2', 'inv_3');
const number = fc.integer({ min: 0, max: 4 });
const endpoint_id = among('whe');
const url = fc.constantFrom('https://a.example', 'http://a.example');
const events = fc.array(fc.constantFrom<string>(...EVENT_KINDS, 'render.moved'), { maxLength: 3 });
const sealed = fc.constantFrom('v1.a', 'v1.b', 'v1.c');
const of = <T extends CatalogueEvent['type']>(type: T) => ({ type: fc.constant(type), meta, rules });

const event: fc.Arbitrary<CatalogueEvent> = fc.oneof(
  fc.record({ ...of('AccountCreated'), account_id, name, unlimited_credits: fc.boolean() }),
  fc.record({ ...of('AccountRenamed'), account_id, name }),
  fc.record({ ...of('CreditLimitLifted'), account_id }),
  fc.record({ ...of('CreditLimitImposed'), account_id }),
  fc.record({
    ...of('CreditsGranted'),
    account_id,
    grant_id: among('grant'),
    credits: fc.integer({ min: -1, max: 9 }),
  }),
  fc.record({ ...of('TeamCreated'), team_id, account_id, name }),
  fc.record({ ...of('TeamRenamed'), team_id, name }),
  fc.record({ ...of('UserRegistered'), user_id, email }),
  fc.record({ ...of('UserEmailChanged'), user_id, email }),
  fc.record({ ...of('MemberAdded'), team_id, user_id, role }),
  fc.record({ ...of('MemberRoleChanged'), team_id, user_id, role }),
  fc.record({ ...of('MemberRemoved'), team_id, user_id }),
  fc.record({
    ...of('ApiKeyIssued'),
    ...secret,
    key_id,
    account_id,
    user_id: fc.option(user_id),
    team_ids: fc.uniqueArray(team_id, { maxLength: 2 }),
    name,
    expires_at: fc.option(time),
    scopes: fc.option(fc.uniqueArray(fc.constantFrom('projects:write', 'later:scope'))),
  }),
  fc.record({
    ...of('ApiKeyRotated'),
    ...secret,
    key_id,
    new_key_id: key_id,
    expires_at: fc.option(time),
    overlap_until: time,
  }),
  fc.record({ ...of('ApiKeyRevoked'), key_id }),
  fc.record({ ...of('ProjectCreated'), project_id, team_id, name, created_by: fc.option(user_id), payload }),
  fc.record({
    ...of('ProjectVersionAdded'),
    project_id,
    version: number,
    base_version: number,
    name,
    document: fc.constantFrom('{"a":1}', '{"b":1}'),
    document_sha256: fc.constant('cc'),
    payload,
  }),
  fc.record({
    ...of('ProjectThumbnailMade'),
    project_id,
    version: number,
    path: fc.constantFrom('still/a.jpg', 'still/b.jpg'),
    content_type: fc.constant('image/jpeg'),
    sha256: fc.constant('cd'),
    width: fc.constant(640),
    height: fc.constant(360),
  }),
  fc.record({ ...of('ProjectErased'), project_id }),
  fc.record({ ...of('UserErased'), user_id }),
  fc.record({ ...of('AccountErased'), account_id }),
  fc.record({ ...of('WebhookEndpointCreated'), endpoint_id, team_id, url, events, secret: sealed }),
  fc.record({ ...of('WebhookEventsChosen'), endpoint_id, events }),
  fc.record({ ...of('WebhookSecretRotated'), endpoint_id, secret: sealed }),
  fc.record({ ...of('WebhookSecretActivated'), endpoint_id, secret: sealed }),
  fc.record({
    ...of('WebhookEndpointDisabled'),
    endpoint_id,
    reason: fc.constantFrom('by_hand', 'gone'),
    enabled_since: fc.option(fc.integer({ min: 0, max: 40 }).map((n) => 10 * n)),
  }),
  fc.record({ ...of('WebhookEndpointEnabled'), endpoint_id }),
  fc.record({ ...of('WebhookEndpointDeleted'), endpoint_id, team_id }),
  fc.record({ ...of('AccountOwnerAdded'), account_id, user_id }),
  fc.record({ ...of('AccountOwnerRemoved'), account_id, user_id }),
  fc.record({
    ...of('InvitationCreated'),
    invitation_id,
    account_id,
    team_id: fc.option(team_id),
    role: fc.constantFrom('owner' as const, 'admin' as const, 'member' as const),
    token_sha256: fc.constant('de'),
    expires_at: time,
  }),
  fc.record({ ...of('InvitationRevoked'), invitation_id }),
  fc.record({ ...of('InvitationAccepted'), invitation_id, user_id }),
  fc.record({ ...of('IdentityLinked'), identity_id: among('e'), user_id }),
  fc.record({ ...of('IdentityUnlinked'), identity_id: among('e'), user_id }),
  fc.record({
    ...of('AccountLimitSet'),
    account_id,
    resource: fc.constantFrom(...LIMITED_RESOURCES),
    most: fc.option(fc.integer({ min: -1, max: 2 })),
  }),
  fc.record({
    ...of('AccountRetentionSet'),
    account_id,
    what: fc.constantFrom(...RETAINED_RENDER_DATA),
    days: fc.option(fc.integer({ min: 0, max: 2 })),
  }),
  fc.record({ ...of('DeliveryRetentionSet'), account_id, days: fc.option(fc.integer({ min: 0, max: 2 })) }),
  fc.record({ ...of('DownloadNamingSet'), account_id, named_by: fc.constantFrom('name' as const, 'id' as const) }),
);

/** Logs that begin with a part of an ordinary one, so that many events are accepted. */
const log = fc
  .tuple(fc.integer({ min: 0, max: CATALOGUE.length }), fc.array(event, { maxLength: 40 }))
  .map(([ordinary, events]) => [...CATALOGUE.slice(0, ordinary), ...events]);

type Step = {
  readonly before: ReadonlyMap<string, Entity>;
  readonly after: ReadonlyMap<string, Entity>;
  readonly at: number;
};

const steps = (events: readonly CatalogueEvent[]): readonly (Step & { readonly accepted: boolean })[] => {
  const { entities, step } = catalogue([]);
  return events.map((one, i) => {
    const before = new Map(entities);
    const accepted = step(one, 10 * i).tag === 'accepted';
    return { before, after: new Map(entities), accepted, at: 10 * i };
  });
};

const holds = (predicate: (events: readonly CatalogueEvent[]) => boolean) =>
  fc.assert(fc.property(log, predicate), { numRuns: runs(1_500) });

/** The time at which a key expires or is revoked, ms. */
const end = ({ revoked_at, expires_at }: Pick<ApiKey, 'revoked_at' | 'expires_at'>): number =>
  Math.min(revoked_at ?? Infinity, expires_at ?? Infinity);

test('the generated logs contain every type of event', (t) => {
  const tried = new Set(fc.sample(event, 2_000).map(({ type }) => type));
  t.deepEqual([...tried].toSorted(), Object.keys(CATALOGUE_EVENTS).toSorted());
});

test('repeated and ignored events change nothing', (t) => {
  holds((events) => {
    const { entities, step } = catalogue([]);
    return events.every((one, i) => {
      const before = JSON.stringify([...entities]);
      if (step(one, 10 * i).tag === 'ignored') return JSON.stringify([...entities]) === before;
      const once = JSON.stringify([...entities]);
      return step(one, 10 * i + 1).tag === 'ignored' && JSON.stringify([...entities]) === once;
    });
  });
  t.pass();
});

test('ids, creation times, secrets and versions never change', (t) => {
  const lasting = (entity: Entity): readonly unknown[] => {
    switch (entity.kind) {
      case 'account':
      case 'user':
        return [entity.created_at];
      case 'credit_grant':
      case 'project_version':
        return Object.values(entity);
      case 'team':
        return [entity.account_id, entity.created_at];
      case 'membership':
        return [entity.team_id, entity.user_id];
      case 'api_key': {
        const { account_id: account, user_id: user, name: called, secret_sha256, created_at } = entity;
        return [account, user, called, secret_sha256, created_at];
      }
      case 'account_member':
        return [entity.account_id, entity.user_id];
      case 'account_usage':
      case 'account_limits':
      case 'account_retention':
      case 'team_roster':
      case 'member_keys':
      case 'identity':
      case 'user_identities':
        return [entity.id];
      case 'invitation': {
        const {
          account_id: account,
          team_id: team,
          role: as,
          token_sha256,
          invited_by,
          created_at,
          expires_at,
        } = entity;
        return [account, team, as, token_sha256, invited_by, created_at, expires_at];
      }
      case 'project':
        return [entity.team_id, entity.created_by, entity.created_at];
      case 'project_thumbnail':
        return [entity.id];
      case 'webhook_endpoint':
        return [entity.team_id, entity.url, entity.created_at];
      case 'team_webhooks':
        return [entity.id];
    }
  };
  holds((events) =>
    steps(events).every(({ before, after }) =>
      [...before].every(([address, entity]) => {
        const now = after.get(address);
        return now !== undefined && JSON.stringify(lasting(now)) === JSON.stringify(lasting(entity));
      }),
    ),
  );
  t.pass();
});

test("a project's still is of an existing version and never gets older", (t) => {
  holds((events) =>
    steps(events).every(({ before, after }) =>
      [...after].every(([address, entity]) => {
        if (entity.kind !== 'project_thumbnail') return true;
        const was = before.get(address);
        const kept = was?.kind !== 'project_thumbnail' || was === entity || was.version < entity.version;
        const project = after.get(`project ${entity.id}`);
        return kept && project?.kind === 'project' && entity.version >= 1 && entity.version <= project.version;
      }),
    ),
  );
  t.pass();
});

test('a key never ends later than before, so ended keys stay ended', (t) => {
  holds((events) =>
    steps(events).every(({ before, after }) =>
      [...before].every(([address, entity]) => {
        if (entity.kind !== 'api_key') return true;
        const now = after.get(address);
        return now?.kind === 'api_key' && end(now) <= end(entity);
      }),
    ),
  );
  t.pass();
});

test('a rotation leaves exactly one key with the same reach', (t) => {
  holds((events) => {
    const last = steps(events).at(-1)?.after ?? new Map<string, Entity>();
    const keys = [...last.values()].filter((entity) => entity.kind === 'api_key');
    const followers = keys.flatMap(({ replaced_by }) => replaced_by ?? []);
    return (
      new Set(followers).size === followers.length &&
      keys.every((key) => {
        const follower = keys.find(({ id }) => id === key.replaced_by);
        if (key.replaced_by === null) return true;
        const owner = ({ account_id: account, user_id: user, name: called }: typeof key) =>
          JSON.stringify([account, user, called]);
        // The new key may have fewer teams, because the end of a membership removes a team from valid keys.
        const reach = follower?.team_ids.every((id) => key.team_ids.includes(id));
        return follower !== undefined && reach === true && owner(follower) === owner(key) && end(key) !== Infinity;
      })
    );
  });
  t.pass();
});

test('credits are the sum of grants, and versions of a project have no gaps', (t) => {
  holds((events) => {
    const last = [...(steps(events).at(-1)?.after.values() ?? [])];
    return last.every((entity) => {
      if (entity.kind === 'account') {
        const grants = last.filter((one) => one.kind === 'credit_grant' && one.account_id === entity.id);
        return entity.granted_credits === grants.reduce((sum, one) => sum + ('credits' in one ? one.credits : 0), 0);
      }
      if (entity.kind !== 'project') return true;
      const versions = last.flatMap((one) =>
        one.kind === 'project_version' && one.project_id === entity.id ? [one.version] : [],
      );
      return (
        versions.toSorted((a, b) => a - b).every((version, i) => version === i + 1) &&
        versions.length === entity.version
      );
    });
  });
  t.pass();
});

const ofKinds = (entities: ReadonlyMap<string, Entity>) => {
  const all = [...entities.values()];
  return <K extends EntityKind>(kind: K) => all.filter(isOfKind(kind));
};

test('stored counts equal the counted entities after every event, under all rules versions', (t) => {
  holds((log_of_events) =>
    steps(log_of_events).every(({ after, at }) => {
      const all = ofKinds(after);
      const present = all('membership').filter(({ removed }) => !removed);
      const accountOf = (team_id: string) => all('team').find(({ id }) => id === team_id)?.account_id;
      const rosters = all('team').every(({ id }) => {
        const [of_team, roster] = [present.filter(({ team_id: of }) => of === id), after.get(`team_roster ${id}`)];
        const counted = roster?.kind === 'team_roster' ? [roster.members, roster.admins] : [0, 0];
        return counted.join() === [of_team.length, of_team.filter(({ role: as }) => as === 'admin').length].join();
      });
      const accounts = all('account').every(({ id }) => {
        const people = all('account_member').filter(({ account_id: of }) => of === id);
        const found = after.get(`account_usage ${id}`);
        const usage = found?.kind === 'account_usage' ? found : emptyUsage(id);
        const keys = all('api_key').filter((key) => key.account_id === id && end(key) > at);
        const isOver = ({ expires_at }: { expires_at: number }) => expires_at <= at;
        const open = all('invitation').filter(
          (one) => one.account_id === id && one.revoked_at === null && one.accepted_at === null && !isOver(one),
        );
        const projects = all('project').filter(
          (project) => accountOf(project.team_id) === id && project.erased === undefined,
        );
        const expected = {
          keys: keys.filter(({ replaced_by }) => replaced_by === null).length,
          endpoints: all('webhook_endpoint').filter((one) => one.deleted_at === null && accountOf(one.team_id) === id)
            .length,
          teams: all('team').filter((team) => team.account_id === id).length,
          projects: projects.filter(({ inline }) => inline !== true).length,
          members: people.filter(({ owner, teams }) => owner || teams > 0).length,
          inline_projects: projects.filter(({ inline }) => inline === true).length,
        };
        return (
          JSON.stringify(usageAt(usage, at)) === JSON.stringify(expected) &&
          usage.rotated_keys.filter((one) => one > at).length === keys.length - expected.keys &&
          usage.owners === people.filter(({ owner }) => owner).length &&
          usage.invitations.filter((one) => !isOver(one)).length === open.length &&
          people.every(
            ({ user_id: of, teams }) =>
              teams === present.filter((one) => one.user_id === of && accountOf(one.team_id) === id).length,
          )
        );
      });
      return rosters && accounts;
    }),
  );
  t.pass();
});

const isLetGo = (before: ReadonlyMap<string, Entity>, event_here: CatalogueEvent | undefined): boolean =>
  event_here !== undefined && removesErasedMember((kind, id) => ofKind(before.get(`${kind} ${id}`), kind), event_here);

test('an account with an owner keeps one unless account or owner are erased', (t) => {
  holds((log_of_events) =>
    steps(log_of_events).every(({ before, after }, i) =>
      ofKinds(before)('account_usage').every(({ id, owners }) => {
        const usage = after.get(`account_usage ${id}`);
        const is_kept = owners === 0 || (usage?.kind === 'account_usage' && usage.owners > 0);
        return is_kept || isLetGo(before, log_of_events[i]);
      }),
    ),
  );
  t.pass();
});

test('events of rules 1 respect the last admin and all limits', (t) => {
  holds((log_of_events) =>
    steps(log_of_events).every(({ before, after, at }, i) => {
      const event_here = log_of_events[i];
      if (event_here === undefined || !isAuthorizationChecked(event_here)) return true;
      const view: CatalogueView = (kind, id) => ofKind(before.get(`${kind} ${id}`), kind);
      return (
        ofKinds(before)('team_roster').every(
          ({ id, admins }) =>
            isLetGo(before, event_here) ||
            admins === 0 ||
            (ofKind(after.get(`team_roster ${id}`), 'team_roster')?.admins ?? 0) > 0,
        ) &&
        ofKinds(after)('account_usage').every((usage) => {
          const had = usageAt(view('account_usage', usage.id) ?? emptyUsage(usage.id), at);
          const has = usageAt(usage, at);
          return LIMITED_RESOURCES.every((one) => has[one] <= had[one] || has[one] <= limitOf(view, usage.id, one));
        })
      );
    }),
  );
  t.pass();
});

test('a personal key created under rules 1 cannot reach teams that its user left', (t) => {
  holds((log_of_events) => {
    const made = new Set(
      log_of_events.flatMap((one) => (one.type === 'ApiKeyIssued' && isAuthorizationChecked(one) ? [one.key_id] : [])),
    );
    const older = new Set(
      log_of_events.flatMap((one) => {
        if (one.type === 'ApiKeyRotated') return [one.new_key_id];
        return one.type === 'ApiKeyIssued' && !isAuthorizationChecked(one) ? [one.key_id] : [];
      }),
    );
    return steps(log_of_events).every(({ after, at }) =>
      ofKinds(after)('api_key').every((key) => {
        const is_personal = key.user_id !== null && made.has(key.id) && !older.has(key.id) && end(key) > at;
        const isMember = (id: string) => ofKind(after.get(`membership ${id}/${key.user_id}`), 'membership');
        return !is_personal || key.team_ids.every((id) => isMember(id)?.removed === false);
      }),
    );
  });
  t.pass();
});

test('a person changes only their own accounts, or one that they erased', (t) => {
  holds((log_of_events) =>
    steps(log_of_events).every(({ before, after }, i) => {
      const told = log_of_events[i];
      const user = userOfActor(told?.meta.actor ?? '');
      if (told === undefined || user === null || told.type === 'InvitationAccepted') return true;
      if (told.type === 'ApiKeyRevoked' && ofKind(before.get(`api_key ${told.key_id}`), 'api_key')?.user_id === user)
        return true;
      const teams = new Map(ofKinds(after)('team').map((team) => [team.id, team.account_id]));
      const changed = [...after].filter(([address, entity]) => before.get(address) !== entity).map(([, one]) => one);
      const accounts = changed.flatMap((one): readonly (string | undefined)[] => {
        if (one.kind === 'account' || one.kind === 'account_usage') return [one.id];
        if (one.kind === 'account_limits' || one.kind === 'account_retention') return [one.id];
        if ('account_id' in one) return [one.account_id];
        return 'team_id' in one ? [teams.get(one.team_id)] : [];
      });
      return accounts.every((id) => {
        if (ofKind(before.get(`account ${id}`), 'account')?.erased?.by === told.meta.actor) return true;
        const member = ofKind(before.get(`account_member ${id}/${user}`), 'account_member');
        return member !== null && (member.owner || member.teams > 0);
      });
    }),
  );
  t.pass();
});

test("a team's count is its endpoints, and deleted endpoints keep no secret", (t) => {
  holds((events) =>
    steps(events).every(({ after }) => {
      const all = [...after.values()];
      const endpoints = all.filter((entity) => entity.kind === 'webhook_endpoint');
      const deleted = endpoints.filter(({ deleted_at }) => deleted_at !== null);
      return (
        all.every((entity) => {
          if (entity.kind !== 'team_webhooks') return true;
          const live = endpoints.filter((one) => one.team_id === entity.id && one.deleted_at === null);
          const listed = [...entity.endpoint_ids].toSorted();
          return (
            JSON.stringify(listed) === JSON.stringify(live.map(({ id }) => id).toSorted()) &&
            listed.length <= MAX_ENDPOINTS_OF_A_TEAM
          );
        }) && deleted.every(({ secret, next_secret }) => secret === '' && next_secret === null)
      );
    }),
  );
  t.pass();
});

test('later events never change which past deliveries an endpoint must get', (t) => {
  holds((log_of_events) =>
    steps(log_of_events).every(({ before, after, at }) =>
      [...before].every(([address, was]) => {
        const is = after.get(address);
        if (was.kind !== 'webhook_endpoint' || is?.kind !== 'webhook_endpoint') return true;
        const times = Array.from({ length: 12 }, (_, i) => Math.floor((at * i) / 12));
        return times.every((time) =>
          EVENT_KINDS.every((kind) => deliveryObligation(was, kind, time) === deliveryObligation(is, kind, time)),
        );
      }),
    ),
  );
  t.pass();
});

test('a receiver with the current or former secret can always verify', (t) => {
  holds((log_of_events) =>
    steps(log_of_events).every(({ before, after, at }) =>
      [...before].every(([address, was]) => {
        const is = after.get(address);
        if (was.kind !== 'webhook_endpoint' || is?.kind !== 'webhook_endpoint' || is.deleted_at !== null) return true;
        const [old, now] = [signingSecrets(was, at), signingSecrets(is, at)];
        return (
          now.standard.includes(now.signature) && (now.signature === old.signature || old.standard[0] === now.signature)
        );
      }),
    ),
  );
  t.pass();
});
