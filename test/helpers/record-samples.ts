import { isRight } from 'fp-ts/lib/Either.js';
import type { CatalogueEvent } from '../../domain/catalogue/events.ts';
import { foldRender } from '../../domain/render/fold.ts';
import type { AnyRecord, RecordType } from '../../schemas/records.ts';
import {
  assigned,
  completed,
  failed,
  finished,
  lost,
  master,
  metaBy,
  prepared,
  progressed,
  RENDER_ID,
  requested,
} from './render-events.ts';

const meta = metaBy('operator:ops');

const about = { delivery_id: 'hook_1', endpoint_id: 'whe_1', render_id: RENDER_ID };
const delivery = {
  ...about,
  team_id: 'team_1',
  seq: 6,
  event: 'render.complete',
  status_offset: 2 ** 41,
  repeats: 'hook_0',
};

/** A catalogue in which every event is legal, in this order. */
export const CATALOGUE: readonly CatalogueEvent[] = [
  { type: 'AccountCreated', meta, account_id: 'acc_1', name: 'Acme', unlimited_credits: true },
  { type: 'CreditsGranted', meta, account_id: 'acc_1', grant_id: 'grant_1', credits: 500 },
  { type: 'AccountRenamed', meta, account_id: 'acc_1', name: 'Acme Films' },
  { type: 'CreditLimitImposed', meta, account_id: 'acc_1' },
  { type: 'CreditLimitLifted', meta, account_id: 'acc_1' },
  { type: 'TeamCreated', meta, team_id: 'team_1', account_id: 'acc_1', name: 'Studio' },
  { type: 'TeamRenamed', meta, team_id: 'team_1', name: 'Film studio' },
  { type: 'UserRegistered', meta, user_id: 'user_1', email: { path: 'users/user_1/email.json', sha256: 'aa' } },
  { type: 'UserEmailChanged', meta, user_id: 'user_1', email: { path: 'users/user_1/email-2.json', sha256: 'ab' } },
  { type: 'MemberAdded', meta, team_id: 'team_1', user_id: 'user_1', role: 'admin' },
  { type: 'MemberRoleChanged', meta, team_id: 'team_1', user_id: 'user_1', role: 'member' },
  {
    type: 'ApiKeyIssued',
    meta,
    key_id: 'key_1',
    account_id: 'acc_1',
    user_id: 'user_1',
    team_ids: ['team_1'],
    name: 'CI',
    secret_sha256: 'bb',
    prefix: 'vr_abcd',
    last4: 'wxyz',
    expires_at: null,
  },
  {
    type: 'ApiKeyRotated',
    meta,
    key_id: 'key_1',
    new_key_id: 'key_2',
    secret_sha256: 'bc',
    prefix: 'vr_efgh',
    last4: 'stuv',
    expires_at: 1_900_000_000_000,
    overlap_until: 1_800_000_000_000,
  },
  { type: 'ProjectCreated', meta, project_id: 'proj_1', team_id: 'team_1', name: 'Sale', created_by: 'user_1' },
  {
    type: 'ProjectVersionAdded',
    meta,
    project_id: 'proj_1',
    version: 1,
    base_version: 0,
    name: 'Sale',
    document: '{"name":"Sale"}',
    document_sha256: 'cc',
  },
  {
    type: 'ProjectThumbnailMade',
    meta,
    project_id: 'proj_1',
    version: 1,
    path: 'projects/proj_1/thumbnails/1-01.jpg',
    content_type: 'image/jpeg',
    sha256: 'cd',
    width: 640,
    height: 360,
  },
  { type: 'ApiKeyRevoked', meta, key_id: 'key_1' },
  { type: 'MemberRemoved', meta, team_id: 'team_1', user_id: 'user_1' },
  {
    type: 'WebhookEndpointCreated',
    meta,
    endpoint_id: 'whe_1',
    team_id: 'team_1',
    url: 'https://hooks.example.com/renders',
    events: ['render.complete', 'render.failed'],
    secret: 'v1.aXY.c2VhbGVk',
  },
  { type: 'WebhookEventsChosen', meta, endpoint_id: 'whe_1', events: ['render.status_changed'] },
  { type: 'WebhookSecretRotated', meta, endpoint_id: 'whe_1', secret: 'v1.aXY.bmV3' },
  { type: 'WebhookSecretActivated', meta, endpoint_id: 'whe_1', secret: 'v1.aXY.bmV3' },
  { type: 'WebhookEndpointDisabled', meta, endpoint_id: 'whe_1', reason: 'by_hand', enabled_since: null },
  { type: 'WebhookEndpointEnabled', meta, endpoint_id: 'whe_1' },
  { type: 'WebhookEndpointDeleted', meta, endpoint_id: 'whe_1', team_id: 'team_1' },
];

const HISTORY = [requested(), prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1')];
const folded = foldRender([...HISTORY, completed('att_1')].map((event, i) => ({ event, at: 1_700_000_000_000 + i })));
const render = isRight(folded) ? folded.right : null;

/** At least one of every record, with nulls and without. */
export const SAMPLES: readonly AnyRecord[] = [
  ...HISTORY,
  requested({ template_id: null, created_by: null, request: null, request_hash: 'ff' }),
  lost('att_1'),
  { ...lost('att_1'), detail: 'the disk is full' },
  completed('att_1'),
  { ...completed('att_1'), poster: { ...master, variant: 'poster', content_type: 'image/jpeg' } },
  failed('worker:w', 'att_1'),
  { ...failed('preparer:p', null), field: null },
  ...CATALOGUE,
  { type: 'UserEmailChanged', meta, user_id: 'user_1', email: null },
  { type: 'WebhookEndpointDisabled', meta, endpoint_id: 'whe_1', reason: 'gone', enabled_since: 1_700_000_000_000 },
  {
    type: 'StartAttempt',
    meta,
    worker_id: 'wkr_1',
    render_id: RENDER_ID,
    attempt_id: 'att_1',
    n: 1,
    account_id: 'acc_1',
    project_id: 'proj_1',
    composition: { path: 'p', sha256: 'dd' },
    frames: 300,
  },
  { type: 'StopAttempt', meta, worker_id: 'wkr_1', render_id: RENDER_ID, attempt_id: 'att_1', reason: 'lost' },
  {
    ...{ type: 'DispatcherBeat', meta, dispatcher_id: 'disp_1', beat: 7 },
    set_aside: [{ machine_id: '0a1b2c3d', losses: 3, left_ms: 10_000 }],
  },
  {
    type: 'WorkerBeat',
    meta,
    worker_id: 'wkr_1',
    beat: 2 ** 40,
    slots: 2,
    draining: false,
    attempts: [{ render_id: RENDER_ID, attempt_id: 'att_1', stage: 'rendering', frames_done: 10, frames_total: 300 }],
    failed: [{ attempt_id: 'att_0', account_id: 'acc_1', cpu_ms: 2 ** 40 }],
    engines: [1, 2],
    impediments: ['disk'],
  },
  { type: 'DeliveryRequested', meta, ...delivery },
  { type: 'DeliveryPlanned', meta, ...delivery },
  { type: 'DeliverySkipped', meta, ...delivery, reason: 'disabled' },
  {
    type: 'DeliveryAttempted',
    meta,
    ...about,
    n: 1,
    started_at: 1_700_000_000_000,
    duration_ms: 42,
    body_sha256: 'ee',
    succeeded: false,
    status: 503,
    fault: 'status',
  },
  { type: 'DeliverySucceeded', meta, ...about, attempts: 2 },
  { type: 'DeliveryExhausted', meta, ...about, attempts: 5, reason: 'attempts' },
  ...(render === null
    ? []
    : [
        {
          type: 'RenderFactAccepted' as const,
          meta,
          render_id: RENDER_ID,
          source_offset: 2 ** 50,
          fact_type: 'RenderCompleted',
          fact_causation_id: null,
          appended_at: 1_700_000_000_005,
          transition: { seq: 6, from: 'finalizing' as const, to: 'complete' as const, at: 1_700_000_000_005 },
          render,
        },
      ]),
];

export const sampleOf = (type: RecordType): AnyRecord | undefined => SAMPLES.find((sample) => sample.type === type);
