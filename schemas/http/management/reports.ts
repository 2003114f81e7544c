import type * as t from 'io-ts';
import { AUDIT_KINDS } from '../../../domain/audit/kinds.ts';
import { STATUSES } from '../../../domain/render/render.ts';
import { ACCOUNT_ID, PROJECT_ID, RENDER_ID, TEAM_ID } from '../ids.ts';
import {
  optionalText,
  optionalWord,
  PAGE_PARAMETERS,
  PERIOD_PARAMETERS,
  query,
  withPeriodCheck,
  wordWithDefault,
} from '../query.ts';
import {
  anyObject,
  count,
  definitionsOf,
  integer,
  listOf,
  number,
  object,
  oneOf,
  orNull,
  pageOf,
  resource,
  text,
  time,
} from '../shapes.ts';
import { contract, examplePage, jsonResponse } from './operation.ts';

const textOrNull = (description: string) => orNull(text(''), description);

const AuditEntry = resource('AuditEntry', 'A change, its author, and its record in the log.', {
  at: time('When the record was appended'),
  actor: text(
    'The author, as the log names them: `user:user_…`, `key:key_…`, `operator:ROLE`, or a part of the service.',
  ),
  kind: oneOf(AUDIT_KINDS, 'The kind of change.'),
  refused: textOrNull('Why the change was refused; null if it took effect.'),
  account_id: orNull(ACCOUNT_ID, 'The account.'),
  team_ids: listOf(TEAM_ID, 'The affected teams that the reader can see.'),
  other_teams: count('The number of other affected teams.'),
  ids: anyObject('IDs by their names in the record: strings, or lists of strings.'),
  details: anyObject('Roles, numbers and times, by their names in the record.'),
  topic: text('The topic of the record.'),
  partition: count('The partition of the record.'),
  offset: count('The offset of the record.'),
  event_id: text('ID of the record.'),
});
export type AuditEntry = t.TypeOf<typeof AuditEntry>;

const AuditPage = pageOf('AuditPage', AuditEntry, 'One page of an audit, the newest first.');

const quantiles = (description: string) =>
  object(description, {
    p50_ms: orNull(number(''), 'The median, exact within 10 %; null without renders.'),
    p95_ms: orNull(number(''), 'The 95th percentile, exact within 10 %; null without renders.'),
  });

const SUMMARY = {
  requested: count('Renders requested.'),
  completed: count('Renders completed.'),
  failed: count('Renders that failed or were cancelled.'),
  failures: listOf(
    object('A failure code.', { code: text('The code.'), count: count('How many.') }),
    'The failure codes, the most frequent first; `other` counts the rest.',
  ),
  charged_credits: count('Credits charged.'),
  wait: quantiles('From the request to the beginning of the rendering.'),
  duration: quantiles('From the beginning of the rendering to its end.'),
};

const STATISTICS_BY = ['day', 'hour'] as const;

const Statistics = resource('Statistics', 'Counts and times of renders.', {
  since: integer('The beginning of the period, in milliseconds since the epoch. The whole hour is included.'),
  until: integer('The end of the period, which is excluded.'),
  by: oneOf(STATISTICS_BY, 'A row is a UTC day or an hour.'),
  now: object(
    'How many renders have each status now. Final statuses count all renders since the beginning.',
    Object.fromEntries(STATUSES.map((status) => [status, count(`Renders that are ${status}.`)])),
  ),
  all: object('The whole period.', SUMMARY),
  data: listOf(
    object('A day or an hour.', { at: time('When it begins'), ...SUMMARY }),
    'The rows in order, without those that have no renders.',
    { maxItems: 744 },
  ),
});

export const StatementLine = resource('StatementLine', 'A grant or a charge, with the balance after it.', {
  type: oneOf(['grant', 'charge'], 'Credits that were granted, or the cost of a render.'),
  at: time('When'),
  credits: integer('The change of the balance: less than 0 for a charge.'),
  balance: integer('All grants until then, less all charges.'),
  grant_id: textOrNull('The grant; null for a charge.'),
  granted_by: textOrNull('The grantor, like `operator:on-call`; null if it is not known, and for a charge.'),
  render_id: orNull(RENDER_ID, 'The render; null for a grant.'),
  render_name: textOrNull('The name of the render; null for a grant, and if the render was erased.'),
  project_id: orNull(PROJECT_ID, 'The project; null for a grant.'),
  team_id: orNull(TEAM_ID, 'The team of the project; null for a grant, and if the project was erased.'),
});

const StatementPage = pageOf('StatementPage', StatementLine, 'One page of a statement.');

export const REPORT_SCHEMAS = definitionsOf([AuditEntry, AuditPage, Statistics, StatementLine, StatementPage]);

export const AuditQuery = withPeriodCheck(
  query({
    ...PAGE_PARAMETERS,
    ...PERIOD_PARAMETERS,
    actor: optionalText(
      'Only changes by this author, as the log names them: `user:user_…`, `key:key_…`, `operator:ROLE`.',
      {
        max: 200,
      },
    ),
    kind: optionalWord(AUDIT_KINDS, 'Only this kind of change.'),
    with_renders: optionalWord(['true', 'false'], 'Whether requested renders are listed too. There may be very many.'),
  }),
);

export const StatisticsQuery = withPeriodCheck(
  query({ ...PERIOD_PARAMETERS, by: wordWithDefault('day', STATISTICS_BY, 'The period of a row.') }),
);

export const UsageQuery = withPeriodCheck(
  query({
    ...PAGE_PARAMETERS,
    ...PERIOD_PARAMETERS,
    order: wordWithDefault('asc', ['asc', 'desc'], '`asc` is oldest first, `desc` is newest first.'),
  }),
);

const AT = 1_763_740_800_000;
const DAY_MS = 86_400_000;

const ENTRY: AuditEntry = {
  ...{ at: AT, actor: 'user:user_01KAJWYH5M', kind: 'ApiKeyRevoked', refused: null, account_id: 'acc_01KAJWXQ4N' },
  ...{ team_ids: ['team_01KAJWY8QD'], other_teams: 0, ids: { key_id: 'key_01KAJX0T7B' }, details: {} },
  ...{ topic: 'catalogue-events', partition: 0, offset: 4_711, event_id: '01KAJX7C4M2S8T0V5Z9Q3R6W1B' },
};

const COUNTS = {
  ...{ requested: 12, completed: 10, failed: 1, failures: [{ code: 'cancelled', count: 1 }], charged_credits: 40 },
  ...{ wait: { p50_ms: 2_100, p95_ms: 9_400 }, duration: { p50_ms: 14_000, p95_ms: 61_000 } },
};

const audit = (who: string) => ({
  description: `The newest first, including refused changes. For ${who}.`,
  parameters: AuditQuery.parameters,
  answers: { 200: jsonResponse('A page.', AuditPage, examplePage(ENTRY)) },
});

const statistics = (who: string) => ({
  description: `By UTC day or hour. The period is the last 30 days by default. By day, a longer period than 93 days is cut to its last 93 days; by hour, to its last 31. For ${who}.`,
  parameters: StatisticsQuery.parameters,
  answers: {
    200: jsonResponse('The current state.', Statistics, {
      ...{ since: AT, until: AT + 30 * DAY_MS, by: 'day', all: COUNTS, data: [{ at: AT, ...COUNTS }] },
      now: { initializing: 0, ready: 0, queued: 1, processing: 0, finalizing: 0, complete: 10, failed: 1 },
    }),
  },
});

const OWNERS = 'owners of the account';

export const REPORTS = contract({
  'GET /manage/v1/teams/{team_id}/audit': {
    ...{ guard: 'team_admin', id: 'listTeamAudit', tag: 'Teams', summary: 'List the changes in a team' },
    ...audit('admins of the team'),
  },
  'GET /manage/v1/accounts/{account_id}/audit': {
    ...{ guard: 'account_owner', id: 'listAccountAudit', tag: 'Accounts', summary: 'List the changes in an account' },
    ...audit(OWNERS),
  },
  'GET /manage/v1/teams/{team_id}/statistics': {
    ...{
      guard: 'team_member',
      id: 'getTeamStatistics',
      tag: 'Teams',
      summary: 'Read statistics of the renders of a team',
    },
    ...statistics('members of the team'),
  },
  'GET /manage/v1/accounts/{account_id}/statistics': {
    ...{ guard: 'account_owner', id: 'getAccountStatistics', tag: 'Accounts' },
    summary: 'Read statistics of the renders of an account',
    ...statistics(OWNERS),
  },
  'GET /manage/v1/accounts/{account_id}/usage': {
    ...{
      guard: 'account_owner',
      id: 'listUsage',
      tag: 'Accounts',
      summary: 'List the grants and charges of an account',
    },
    description:
      'A line for each grant and each completed render, with the balance after it; the oldest first by default. No line shows the reservations of renders in progress. For owners.',
    parameters: UsageQuery.parameters,
    answers: {
      200: jsonResponse(
        'A page.',
        StatementPage,
        examplePage({
          ...({ type: 'charge', at: AT, credits: -4, balance: 96, grant_id: null, granted_by: null } as const),
          ...{ render_id: 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C', render_name: 'Spring sale, Oslo' },
          project_id: 'proj_01KAJWZK3H',
          team_id: 'team_01KAJWY8QD',
        }),
      ),
    },
  },
});
