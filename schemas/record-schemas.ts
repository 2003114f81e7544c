import { arrayOf, nullable, record } from './avro.ts';

/** Avro schemas of every record on the wire. Kinds, stages and reasons are strings: a new one breaks no reader. */
const EVENTS = 'rendering.events';
const STATUS = 'rendering.status';
const CATALOGUE = 'rendering.catalogue';
const COMMANDS = 'rendering.commands';
const HEARTBEATS = 'rendering.heartbeats';
const WEBHOOKS = 'rendering.webhooks';
const SHARED = 'rendering';

const meta = record(SHARED, 'Meta', {
  event_id: 'string',
  occurred_at: 'long',
  actor: 'string',
  causation_id: nullable('string'),
  correlation_id: nullable('string'),
});

const payload = record(SHARED, 'PayloadRef', { path: 'string', sha256: 'string' });

const output = record(SHARED, 'Output', {
  variant: 'string',
  path: 'string',
  content_type: 'string',
  size_bytes: 'long',
  sha256: 'string',
  width: 'long',
  height: 'long',
  duration_ms: 'long',
});

const prepared = {
  composition: payload,
  price_credits: 'long',
  width: 'long',
  height: 'long',
  fps_num: 'long',
  fps_den: 'long',
  frames: 'long',
};

const ofAttempt = { meta, render_id: 'string', attempt_id: 'string' };

const requested = {
  fold_version: 'long',
  name: 'string',
  account_id: 'string',
  team_id: 'string',
  project_id: 'string',
  project_version: 'long',
  template_id: nullable('string'),
};

const transition = record(STATUS, 'Transition', { seq: 'long', from: nullable('string'), to: 'string', at: 'long' });

const attempt = record(STATUS, 'Attempt', {
  id: 'string',
  n: 'long',
  worker_id: 'string',
  progressed: 'boolean',
  finished: 'boolean',
  lost: nullable('string'),
});

const failure = { stage: 'string', code: 'string', message: 'string', field: nullable('string') };

const render = record(STATUS, 'Render', {
  id: 'string',
  ...requested,
  type: 'string',
  created_by: nullable('string'),
  created_at: 'long',
  updated_at: nullable('long'),
  status: 'string',
  seq: 'long',
  request: nullable(payload),
  request_hash: nullable('string'),
  correlation_id: nullable('string'),
  reserved_credits: 'long',
  prepared: nullable(record(STATUS, 'Prepared', prepared)),
  attempts: arrayOf(attempt),
  outputs: arrayOf(output),
  poster: nullable(output),
  charged_credits: 'long',
  failure: nullable(record(STATUS, 'Failure', failure)),
});

const running = record(HEARTBEATS, 'RunningAttempt', {
  render_id: 'string',
  attempt_id: 'string',
  stage: 'string',
  frames_done: 'long',
  frames_total: 'long',
});

const failedAttempt = record(HEARTBEATS, 'FailedAttempt', {
  attempt_id: 'string',
  account_id: 'string',
  cpu_ms: 'long',
});

const ofDelivery = { meta, delivery_id: 'string', endpoint_id: 'string', render_id: 'string' };

const plannedDelivery = {
  ...ofDelivery,
  team_id: 'string',
  seq: 'long',
  event: 'string',
  status_offset: nullable('long'),
  repeats: nullable('string'),
};

const ofEndpoint = { meta, endpoint_id: 'string' };

export const RECORD_SCHEMAS = {
  RenderRequested: record(EVENTS, 'RenderRequested', {
    meta,
    render_id: 'string',
    ...requested,
    render_type: 'string',
    created_by: nullable('string'),
    request: nullable(payload),
    request_hash: nullable('string'),
    reserved_credits: 'long',
  }),
  RenderPrepared: record(EVENTS, 'RenderPrepared', { meta, render_id: 'string', ...prepared }),
  RenderAssigned: record(EVENTS, 'RenderAssigned', { ...ofAttempt, n: 'long', worker_id: 'string' }),
  AttemptLost: record(EVENTS, 'AttemptLost', { ...ofAttempt, reason: 'string', detail: nullable('string') }),
  RenderProgressed: record(EVENTS, 'RenderProgressed', { ...ofAttempt, frames_done: 'long', frames_total: 'long' }),
  RenderingFinished: record(EVENTS, 'RenderingFinished', { ...ofAttempt, frames: 'long', engine_ms: 'long' }),
  RenderCompleted: record(EVENTS, 'RenderCompleted', {
    ...ofAttempt,
    outputs: arrayOf(output),
    poster: nullable(output),
  }),
  RenderFailed: record(EVENTS, 'RenderFailed', {
    meta,
    render_id: 'string',
    attempt_id: nullable('string'),
    ...failure,
  }),

  RenderFactAccepted: record(STATUS, 'RenderFactAccepted', {
    meta,
    render_id: 'string',
    source_offset: 'long',
    fact_type: 'string',
    fact_causation_id: nullable('string'),
    appended_at: 'long',
    transition: nullable(transition),
    render,
  }),

  StartAttempt: record(COMMANDS, 'StartAttempt', {
    meta,
    worker_id: 'string',
    render_id: 'string',
    attempt_id: 'string',
    n: 'long',
    account_id: 'string',
    project_id: 'string',
    composition: payload,
    frames: 'long',
  }),
  StopAttempt: record(COMMANDS, 'StopAttempt', {
    meta,
    worker_id: 'string',
    render_id: 'string',
    attempt_id: 'string',
    reason: 'string',
  }),

  WorkerBeat: record(HEARTBEATS, 'WorkerBeat', {
    meta,
    worker_id: 'string',
    beat: 'long',
    slots: 'long',
    draining: 'boolean',
    attempts: arrayOf(running),
    failed: arrayOf(failedAttempt),
  }),
  DispatcherBeat: record(HEARTBEATS, 'DispatcherBeat', { meta, dispatcher_id: 'string', beat: 'long' }),

  DeliveryRequested: record(WEBHOOKS, 'DeliveryRequested', plannedDelivery),
  DeliveryPlanned: record(WEBHOOKS, 'DeliveryPlanned', plannedDelivery),
  DeliverySkipped: record(WEBHOOKS, 'DeliverySkipped', { ...plannedDelivery, reason: 'string' }),
  DeliveryAttempted: record(WEBHOOKS, 'DeliveryAttempted', {
    ...ofDelivery,
    n: 'long',
    started_at: 'long',
    duration_ms: 'long',
    body_sha256: 'string',
    succeeded: 'boolean',
    status: nullable('long'),
    fault: nullable('string'),
  }),
  DeliverySucceeded: record(WEBHOOKS, 'DeliverySucceeded', { ...ofDelivery, attempts: 'long' }),
  DeliveryExhausted: record(WEBHOOKS, 'DeliveryExhausted', { ...ofDelivery, attempts: 'long', reason: 'string' }),

  AccountCreated: record(CATALOGUE, 'AccountCreated', {
    meta,
    account_id: 'string',
    name: 'string',
    unlimited_credits: 'boolean',
  }),
  AccountRenamed: record(CATALOGUE, 'AccountRenamed', { meta, account_id: 'string', name: 'string' }),
  CreditLimitLifted: record(CATALOGUE, 'CreditLimitLifted', { meta, account_id: 'string' }),
  CreditLimitImposed: record(CATALOGUE, 'CreditLimitImposed', { meta, account_id: 'string' }),
  CreditsGranted: record(CATALOGUE, 'CreditsGranted', {
    meta,
    account_id: 'string',
    grant_id: 'string',
    credits: 'long',
  }),
  TeamCreated: record(CATALOGUE, 'TeamCreated', { meta, team_id: 'string', account_id: 'string', name: 'string' }),
  TeamRenamed: record(CATALOGUE, 'TeamRenamed', { meta, team_id: 'string', name: 'string' }),
  UserRegistered: record(CATALOGUE, 'UserRegistered', { meta, user_id: 'string', email: nullable(payload) }),
  UserEmailChanged: record(CATALOGUE, 'UserEmailChanged', { meta, user_id: 'string', email: nullable(payload) }),
  MemberAdded: record(CATALOGUE, 'MemberAdded', { meta, team_id: 'string', user_id: 'string', role: 'string' }),
  MemberRoleChanged: record(CATALOGUE, 'MemberRoleChanged', {
    meta,
    team_id: 'string',
    user_id: 'string',
    role: 'string',
  }),
  MemberRemoved: record(CATALOGUE, 'MemberRemoved', { meta, team_id: 'string', user_id: 'string' }),
  ApiKeyIssued: record(CATALOGUE, 'ApiKeyIssued', {
    meta,
    key_id: 'string',
    account_id: 'string',
    user_id: nullable('string'),
    team_ids: arrayOf('string'),
    name: 'string',
    secret_sha256: 'string',
    prefix: 'string',
    last4: 'string',
    expires_at: nullable('long'),
  }),
  ApiKeyRotated: record(CATALOGUE, 'ApiKeyRotated', {
    meta,
    key_id: 'string',
    new_key_id: 'string',
    secret_sha256: 'string',
    prefix: 'string',
    last4: 'string',
    expires_at: nullable('long'),
    overlap_until: 'long',
  }),
  ApiKeyRevoked: record(CATALOGUE, 'ApiKeyRevoked', { meta, key_id: 'string' }),
  ProjectCreated: record(CATALOGUE, 'ProjectCreated', {
    meta,
    project_id: 'string',
    team_id: 'string',
    name: 'string',
    created_by: nullable('string'),
  }),
  ProjectVersionAdded: record(CATALOGUE, 'ProjectVersionAdded', {
    meta,
    project_id: 'string',
    version: 'long',
    base_version: 'long',
    name: 'string',
    document: 'string',
    document_sha256: 'string',
  }),
  ProjectThumbnailMade: record(CATALOGUE, 'ProjectThumbnailMade', {
    meta,
    project_id: 'string',
    version: 'long',
    path: 'string',
    content_type: 'string',
    sha256: 'string',
    width: 'long',
    height: 'long',
  }),
  WebhookEndpointCreated: record(CATALOGUE, 'WebhookEndpointCreated', {
    ...ofEndpoint,
    team_id: 'string',
    url: 'string',
    events: arrayOf('string'),
    secret: 'string',
  }),
  WebhookEventsChosen: record(CATALOGUE, 'WebhookEventsChosen', { ...ofEndpoint, events: arrayOf('string') }),
  WebhookSecretRotated: record(CATALOGUE, 'WebhookSecretRotated', { ...ofEndpoint, secret: 'string' }),
  WebhookSecretActivated: record(CATALOGUE, 'WebhookSecretActivated', { ...ofEndpoint, secret: 'string' }),
  WebhookEndpointDisabled: record(CATALOGUE, 'WebhookEndpointDisabled', {
    ...ofEndpoint,
    reason: 'string',
    enabled_since: nullable('long'),
  }),
  WebhookEndpointEnabled: record(CATALOGUE, 'WebhookEndpointEnabled', ofEndpoint),
  WebhookEndpointDeleted: record(CATALOGUE, 'WebhookEndpointDeleted', { ...ofEndpoint, team_id: 'string' }),
} as const;
