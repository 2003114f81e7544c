import { AUDIT_KINDS } from '../../../../domain/audit/kinds.ts';
import { STATISTICS_BY } from '../../list-request.ts';
import type { Parameter } from '../../openapi/form.ts';
import { ANYWHERE, answerLike } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';
import { IN_PATH, inQuery, PAGE } from '../parameters.ts';

const AT = 1_763_740_800_000;
const DAY_MS = 86_400_000;
const page = (one: unknown) => ({ data: [one], has_more: false, next_cursor: null });

const since = inQuery('since', 'From this time on, in milliseconds since the epoch.', { type: 'integer', minimum: 0 });
const until = inQuery('until', 'Before this time, in milliseconds since the epoch.', { type: 'integer', minimum: 0 });

const FILTERS: readonly Parameter[] = [
  since,
  until,
  inQuery('actor', 'Only what this one did, as the log has it: `user:user_…`, `key:key_…`, `operator:ROLE`.', {
    ...{ type: 'string', minLength: 1, maxLength: 200 },
  }),
  inQuery('kind', 'Only this kind of change.', { type: 'string', enum: AUDIT_KINDS }),
  inQuery('with_renders', 'Whether renders that were requested are listed too: there may be very many.', {
    ...{ type: 'string', enum: ['true', 'false'] },
  }),
];

const ENTRY = {
  ...{ at: AT, actor: 'user:user_01KAJWYH5M', kind: 'ApiKeyRevoked', refused: null, account_id: 'acc_01KAJWXQ4N' },
  ...{ team_ids: ['team_01KAJWY8QD'], other_teams: 0, ids: { key_id: 'key_01KAJX0T7B' }, details: {} },
  ...{ topic: 'catalogue-events', partition: 0, offset: 4_711, event_id: '01KAJX7C4M2S8T0V5Z9Q3R6W1B' },
};

const audited = (operationId: string, tag: string, place: Parameter, of: string, who: string): ManagementOperation => ({
  ...{ operationId, tags: [tag], summary: `List who changed what in ${of}` },
  description: `The newest first. What was refused is listed as well. For ${who}.`,
  parameters: [place, ...PAGE, ...FILTERS],
  responses: { '200': answerLike('A page.', 'AuditPage', page(ENTRY)), ...ANYWHERE },
});

const SUMMARY = {
  ...{ requested: 12, completed: 10, failed: 1, failures: [{ code: 'cancelled', count: 1 }], charged_credits: 40 },
  ...{ wait: { p50_ms: 2_100, p95_ms: 9_400 }, duration: { p50_ms: 14_000, p95_ms: 61_000 } },
};

const counted = (operationId: string, tag: string, place: Parameter, of: string, who: string): ManagementOperation => ({
  ...{ operationId, tags: [tag], summary: `Say how the renders of ${of} went` },
  description: `By UTC day or hour; the last 30 days unless the time is said, and 31 days at most: of a longer time the last ones. For ${who}.`,
  parameters: [
    place,
    since,
    until,
    inQuery('by', 'What a row is.', { type: 'string', enum: STATISTICS_BY, default: 'day' }),
  ],
  responses: {
    '200': answerLike('As it is now.', 'Statistics', {
      ...{ since: AT, until: AT + 30 * DAY_MS, by: 'day', all: SUMMARY, data: [{ at: AT, ...SUMMARY }] },
      now: { initializing: 0, ready: 0, queued: 1, processing: 0, finalizing: 0, complete: 10, failed: 1 },
    }),
    ...ANYWHERE,
  },
});

const usage: ManagementOperation = {
  ...{ operationId: 'listUsage', tags: ['Accounts'], summary: 'List what an account was granted and charged' },
  description:
    'A line for each grant and each completed render, with the balance after it; the oldest first, unlike other lists. What renders under way reserve is in no line. For owners.',
  parameters: [IN_PATH.account, ...PAGE, since, until],
  responses: {
    '200': answerLike(
      ...(['A page.', 'StatementPage'] as const),
      page({
        ...{ type: 'charge', at: AT, credits: -4, balance: 96, grant_id: null, granted_by: null },
        ...{ render_id: 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C', render_name: 'Spring sale, Oslo' },
        project_id: 'proj_01KAJWZK3H',
      }),
    ),
    ...ANYWHERE,
  },
};

const { team, account } = IN_PATH;
const owners = 'owners of the account';

export const REPORT_PATHS = {
  '/manage/v1/teams/{team_id}/audit': {
    get: audited('listTeamAudit', 'Teams', team, 'a team', 'admins of the team'),
  },
  '/manage/v1/accounts/{account_id}/audit': {
    get: audited('listAccountAudit', 'Accounts', account, 'an account', owners),
  },
  '/manage/v1/teams/{team_id}/statistics': {
    get: counted('getTeamStatistics', 'Teams', team, 'a team', 'members of the team'),
  },
  '/manage/v1/accounts/{account_id}/statistics': {
    get: counted('getAccountStatistics', 'Accounts', account, 'an account', owners),
  },
  '/manage/v1/accounts/{account_id}/usage': { get: usage },
} as const;
