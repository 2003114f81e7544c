import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { Project, Team, User } from '../../../domain/catalogue/entities.ts';
import { emptyUsage } from '../../../domain/catalogue/limits.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { foldStep } from '../../../domain/render/fold.ts';
import type { Render } from '../../../domain/render/render.ts';
import type { StoredEvent } from '../../../domain/render/stored-event.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../../domain/uploads/limits.ts';
import type { WebhookEndpoint } from '../../../domain/webhooks/endpoint.ts';
import { EVENT_KINDS } from '../../../domain/webhooks/event-kinds.ts';
import { getAccount } from '../../../query-api/catalogue/read-account.ts';
import type { LedgerDocument } from '../../../read-models/renders/documents.ts';
import { projectResource } from '../../../schemas/http/public/projects.ts';
import { renderResource } from '../../../schemas/http/public/render-resource.ts';
import { Team as TeamShape } from '../../../schemas/http/public/teams.ts';
import { templateResource, templateSummaryResource } from '../../../schemas/http/public/templates.ts';
import { transitionsResource } from '../../../schemas/http/public/transitions-resource.ts';
import { memberResource, userResource } from '../../../schemas/http/public/users.ts';
import { planDeliveries } from '../../../webhook-relay/plan/planned-deliveries.ts';
import { attemptHeaders } from '../../../webhook-relay/queues/prepare-attempt.ts';
import { faultsUnder, membersOf, resolved } from '../../helpers/openapi.ts';
import {
  assigned,
  completed,
  failed,
  finished,
  lost,
  prepared,
  progressed,
  requested,
} from '../../helpers/render-events.ts';

const fits = (t: ExecutionContext, schema: string, values: readonly unknown[]): void => {
  for (const value of values) {
    const sent: unknown = JSON.parse(JSON.stringify(value));
    t.deepEqual(faultsUnder(['components', 'schemas', schema], sent), [], JSON.stringify(sent));
    t.not(faultsUnder(['components', 'schemas', schema], { ...Object(sent), more: 1 }).length, 0, 'nothing beyond');
  }
  const seen = new Set(values.flatMap((value) => Object.keys(Object(value))));
  t.deepEqual([...seen].sort(), [...membersOf(['components', 'schemas', schema, 'properties'])].sort());
};

type Folded = { readonly render: Render | null; readonly events: readonly StoredEvent[] };

const folded = (events: readonly RenderEvent[]): readonly Folded[] => {
  const states: Folded[] = [];
  for (const [offset, event] of events.entries()) {
    const { render, events } = states.at(-1) ?? { render: null, events: [] };
    const step = foldStep(render, event, 1_000 + offset);
    if (step.tag !== 'accepted') throw new Error(`${event.type} is not legal here`);
    const { transition } = step;
    const stored: StoredEvent = { verdict: 'accepted', offset, appended_at: 1_000 + offset, fact: event, transition };
    states.push({ render: step.render, events: [...events, stored] });
  }
  return states;
};

const STATES: readonly Folded[] = [
  [
    requested(),
    prepared,
    assigned('att_1', 1),
    progressed('att_1'),
    lost('att_1'),
    assigned('att_2', 2),
    progressed('att_2'),
    finished('att_2'),
    completed('att_2'),
  ],
  [requested({ created_by: null }), failed('preparer:prep_1', null)],
].flatMap((events) => folded(events));

const rendersIn = (states: readonly Folded[]) => states.flatMap(({ render }) => (render === null ? [] : [render]));

const OUTPUT = { master: 'https://example.org/master.mp4?sig=a', '720p': 'https://example.org/720p.mp4?sig=b' };

const outputOf = ({ status }: Render) => (status === 'complete' ? OUTPUT : null);

const TEAM: Team = { kind: 'team', id: 'team_1', account_id: 'acc_1', name: 'Studio', created_at: 1 };
const USER: User = { kind: 'user', id: 'user_1', email: null, created_at: 2 };

test('a render has its documented members', (t) => {
  const renders = rendersIn(STATES);
  t.deepEqual(new Set(renders.map(({ status }) => status)).size, 7);
  fits(
    t,
    'Render',
    renders.map((render) => renderResource(render, outputOf(render), render.status === 'processing' ? 0.5 : null)),
  );
});

test("a render's transitions have their documented members", (t) => {
  const lists = STATES.flatMap(({ render, events }) =>
    render === null ? [] : [transitionsResource(render, events, null)],
  );
  fits(t, 'TransitionList', lists);
  const failures = lists.flatMap(({ data }) => data.flatMap(({ failure }) => (failure === undefined ? [] : [failure])));
  t.true(failures.length > 0);
  fits(t, 'Failure', failures);
  fits(
    t,
    'Transition',
    lists.flatMap(({ data }) => data),
  );
});

test('a project has its documented members', (t) => {
  const project = {
    kind: 'project',
    id: 'proj_1',
    team_id: 'team_1',
    name: 'Sale',
    version: 1,
    created_by: 'user_1',
    created_at: 3,
    updated_at: null,
  } satisfies Project;
  fits(t, 'Project', [
    projectResource(project, TEAM, null),
    projectResource({ ...project, created_by: null, updated_at: 4 }, TEAM, 'https://example.org/poster.jpg?sig=a'),
  ]);
});

test('a template has its documented members', (t) => {
  const field = {
    key: 'headline',
    label: null,
    description: null,
    kind: 'text',
    widget: null,
    default_value: '',
    target: { layer: 'a', property: 'text' },
  } as const;
  const template = {
    id: 'tpl_1',
    name: 'Sale',
    description: null,
    target_composition_id: 'comp_1',
    fields: [field, { ...field, key: 'b', label: 'B', widget: 'slider', kind: 'number' } as const],
  };
  fits(t, 'TemplateSummary', [templateSummaryResource('proj_1', template)]);
  fits(t, 'Template', [
    templateResource('proj_1', template),
    templateResource('proj_1', { ...template, description: 'x', fields: [] }),
  ]);
  fits(t, 'TemplateField', templateResource('proj_1', template).fields);
});

test('teams, users and members have their documented members', (t) => {
  fits(
    t,
    'Team',
    [null, 'admin' as const, 'member' as const].map((role) => TeamShape.encode({ ...TEAM, role })),
  );
  fits(t, 'User', [userResource(USER, null), userResource(USER, 'ada@example.com')]);
  const membership = {
    kind: 'membership',
    id: 'team_1/user_1',
    team_id: 'team_1',
    user_id: 'user_1',
    role: 'admin',
    joined_at: 5,
    removed: false,
  } as const;
  fits(t, 'Member', [memberResource(USER, null, membership), memberResource(USER, 'ada@example.com', membership)]);
});

test('an account has its documented members, in any state of its ledger', async (t) => {
  const account = {
    kind: 'account',
    id: 'acc_1',
    name: 'Acme',
    unlimited_credits: false,
    granted_credits: 40,
  } as const;
  const usage = { ...emptyUsage('acc_1'), teams: 2, lasting_keys: 1, ending_keys: [5, 15] };
  const answerWith = async (unlimited_credits: boolean, ledger: readonly LedgerDocument[] | null) => {
    const entities: Readonly<Record<string, unknown>> = {
      account: { ...account, unlimited_credits, created_at: 1 },
      account_usage: usage,
      account_limits: { kind: 'account_limits', id: 'acc_1', teams: 3 },
    };
    const read_model = { find: async (kind: string) => entities[kind] ?? null, ledgerOf: async () => ledger };
    const access = { key_id: 'key_1', account_id: 'acc_1', user_id: null, scopes: [], teams: new Map() };
    const handler = getAccount({
      read_model: Object.assign(Object.create(null), read_model),
      uploads: { totals: async () => [{ state: 'ready', count: 2, bytes: 30 }] },
      stored_files: { bytesOf: async () => 12 },
      countOpenRenders: async () => ({ folded: new Map(), open: 4 }),
      ...{ upload_limits: DEFAULT_UPLOAD_LIMITS, max_waiting_renders: 5, clock: { now: () => 10 } },
    });
    return await handler(Object.create(null), access);
  };
  const share = {
    _id: 'acc_1/0',
    account_id: 'acc_1',
    partition: 0,
    offset: 9,
    reserved_credits: 3,
    charged_credits: 7,
  };
  const counted = await answerWith(false, [share, { ...share, _id: 'acc_1/1', partition: 1 }]);
  const unlimited = await answerWith(true, []);
  const bodies = [counted, unlimited].map((answer) => (E.isRight(answer) ? answer.right.body : answer.left));
  fits(t, 'Account', bodies);
  t.like(bodies[0], {
    credits: { unlimited: false, balance: 20, reserved: 6, charged: 14, granted: 40 },
    prices: { credits_per_megapixel_second: 1, min_credits: 1 },
    limits: { keys: { used: 2, limit: 500 }, teams: { used: 2, limit: 3 }, members: { used: 0, limit: 1_000 } },
    uploads: { in_progress: { used: 0, limit: 100 }, uploads: { used: 2, limit: 2_000 }, bytes: { used: 42 } },
    renders: { waiting: { used: 4, limit: 5 } },
  });
  t.like(bodies[1], { credits: { unlimited: true, balance: null } });
  t.like(await answerWith(false, null), { left: { tag: 'unavailable', retry_after_s: 5 } });
});

test('webhook deliveries have their documented members and headers', (t) => {
  const endpoint: WebhookEndpoint = {
    kind: 'webhook_endpoint',
    id: 'whe_1',
    team_id: 'team_1',
    url: 'https://example.org/hooks',
    created_at: 0,
    subscriptions: [{ since: 0, events: EVENT_KINDS }],
    disabled: [],
    secret: 'sealed',
    next_secret: null,
    deleted_at: null,
  };
  const deliveries = STATES.flatMap(({ render, events }, offset) => {
    const last = events.at(-1);
    if (render === null || last?.verdict !== 'accepted' || last.transition === null) return [];
    const change = { partition: 0, offset, render, transition: last.transition, trace: {} };
    return planDeliveries(
      change,
      [endpoint],
      renderResource(render, outputOf(render)),
      { now: 2_000, due_at: 2_000, logged: () => null },
      () => false,
    );
  });
  t.deepEqual(new Set(deliveries.map(({ event }) => event)), new Set(EVENT_KINDS));
  fits(
    t,
    'Delivery',
    deliveries.map(({ body }) => JSON.parse(body ?? '')),
  );
  const secrets = { signature: 'whsec_YWJj', standard: ['whsec_YWJj'] };
  for (const { _id, event, timestamp, body } of deliveries) {
    const signed = attemptHeaders(_id, timestamp, Buffer.from(body ?? ''), secrets, 3_000);
    const headers = { ...signed, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const operation = ['webhooks', event, 'post', 'parameters'];
    const documented = membersOf(operation).map((index) => resolved([...operation, index]));
    for (const { place, value } of documented) {
      const { name } = Object(value);
      t.deepEqual(faultsUnder([...place, 'schema'], Object(headers)[name]), [], name);
    }
    t.deepEqual(
      Object.keys(headers)
        .filter((name) => name !== 'Content-Type')
        .sort(),
      documented.map(({ value }) => Object(value).name).sort(),
    );
  }
});
