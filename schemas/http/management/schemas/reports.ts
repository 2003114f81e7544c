import { AUDIT_KINDS } from '../../../../domain/audit/kinds.ts';
import { STATUSES } from '../../../../domain/render/render.ts';
import { STATISTICS_BY } from '../../list-request.ts';
import type { Schema } from '../../openapi/form.ts';
import { pageOf } from '../../openapi/schemas/list.ts';
import {
  ACCOUNT_ID,
  object,
  orNull,
  PROJECT_ID,
  RENDER_ID,
  TEAM_ID,
  text,
  time,
} from '../../openapi/schemas/scalars.ts';

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const whole = (description: string): Schema => ({ type: 'integer', description });
const textOrNull = (description: string): Schema => ({ type: ['string', 'null'], description });
const names = (description: string): Schema => ({ type: 'object', description });

const quantiles = (description: string): Schema =>
  object(description, {
    p50_ms: { type: ['number', 'null'], description: 'Of half of them at most that long, within 10 %; null of none.' },
    p95_ms: { type: ['number', 'null'], description: 'Of 95 in 100 at most that long, within 10 %; null of none.' },
  });

const SUMMARY = {
  requested: count('Renders requested.'),
  completed: count('Renders completed.'),
  failed: count('Renders that failed, those that were cancelled too.'),
  failures: {
    type: 'array',
    description: 'Why they failed, the most frequent first; what is left out is `other`.',
    items: object('A failure code.', { code: text('The code.'), count: count('How many.') }),
  },
  charged_credits: count('Credits charged.'),
  wait: quantiles('From the request to the beginning of the rendering.'),
  duration: quantiles('From there until it was complete.'),
} as const satisfies Readonly<Record<string, Schema>>;

/** Of audits, statistics and statements. */
export const REPORT_SCHEMAS: Readonly<Record<string, Schema>> = {
  AuditEntry: object('Who changed what, by which record of the log.', {
    at: time('When the record was appended'),
    actor: text(
      'Who did it, as the log has it: `user:user_…`, `key:key_…`, `operator:ROLE`, or a part of the service.',
    ),
    kind: { type: 'string', enum: AUDIT_KINDS, description: 'What it is.' },
    refused: textOrNull('Why it was refused, so that nothing changed; null where it changed something.'),
    account_id: orNull(ACCOUNT_ID, 'The account.'),
    team_ids: { type: 'array', items: TEAM_ID, description: 'The teams that it concerns, of those the reader is in.' },
    other_teams: count('How many other teams it concerns.'),
    ids: names('Ids that it names, by their names in the record: texts, or lists of texts.'),
    details: names('Roles, numbers and times, by their names in the record.'),
    topic: text('Where the log has the record.'),
    partition: count('Likewise.'),
    offset: count('Likewise.'),
    event_id: text('Id of the record.'),
  }),
  AuditPage: pageOf('AuditEntry', 'One page of an audit, the newest first.'),
  Statistics: object('How renders went.', {
    since: whole('From then on, in milliseconds since the epoch: the hour that it is in counts.'),
    until: whole('Before then.'),
    by: { type: 'string', enum: STATISTICS_BY, description: 'What a row is: a UTC day, or an hour.' },
    now: object(
      'How many are in each status now; of the final ones, since ever.',
      Object.fromEntries(STATUSES.map((status) => [status, count(`Renders that are ${status}.`)])),
    ),
    all: object('All of the time taken together.', SUMMARY),
    data: {
      type: 'array',
      maxItems: 744,
      description: 'In their order, without those in which nothing was.',
      items: object('A day or an hour.', { at: time('When it begins'), ...SUMMARY }),
    },
  }),
  StatementLine: object('What was granted or charged, and what was left after it.', {
    type: {
      type: 'string',
      enum: ['grant', 'charge'],
      description: 'Credits that were given, or the cost of a render.',
    },
    at: time('When'),
    credits: whole('What it adds to the balance: less than 0 for a charge.'),
    balance: whole('All that was granted until then, less all that was charged.'),
    grant_id: textOrNull('The grant; null for a charge.'),
    granted_by: textOrNull('Who granted, like `operator:on-call`; null where that is not known, and for a charge.'),
    render_id: orNull(RENDER_ID, 'The render; null for a grant.'),
    render_name: textOrNull('What it is called; null for a grant, and where the render was erased.'),
    project_id: orNull(PROJECT_ID, 'Its project; null for a grant.'),
  }),
  StatementPage: pageOf('StatementLine', 'One page of a statement, the oldest line first.'),
};
