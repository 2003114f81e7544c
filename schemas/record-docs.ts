import type {
  FailedAttempt,
  Help,
  HelpWanted,
  RunningAttempt,
  SegmentSpan,
  SetAside,
} from '../domain/dispatch/heartbeats.ts';
import type { Meta } from '../domain/event/meta.ts';
import type { PayloadRef } from '../domain/event/payload.ts';
import type { Seal, SealKey } from '../domain/event/seal.ts';
import type { Failure, Output, PreparedRender } from '../domain/render/events.ts';
import type { Attempt, Render, Transition } from '../domain/render/render.ts';
import type { DeliveryPlanned } from '../domain/webhooks/delivery-events.ts';
import type { AnyRecord, RecordType } from './any-record.ts';
import type { FieldDoc, RecordDoc } from './avro.ts';

const time = (doc: string): FieldDoc => ({ doc, is_time: true });

/** Members with one meaning in all records. */
const COMMON = {
  meta: 'Who appended the record, and what it was caused by.',
  rules: 'The number of the rules that the fold judges the event by; 0 in records that are older than it.',
  render_id: 'The render, rend_….',
  attempt_id: 'The attempt, att_….',
  account_id: 'The account, acc_….',
  team_id: 'The team, team_….',
  user_id: 'The user, user_….',
  project_id: 'The project, proj_….',
  key_id: 'The API key, key_….',
  endpoint_id: 'The webhook endpoint, whe_….',
  invitation_id: 'The invitation, inv_….',
  delivery_id: 'The webhook delivery, hook_….',
  worker_id: 'The process of the worker, wkr_…: another one at each start.',
} as const;

/** `type` is the record's name, not a member. */
type NoMember<R> = R extends { readonly type: RecordType } ? 'type' : never;

type OwnMember<R> = Exclude<keyof R, NoMember<R> | keyof typeof COMMON>;

/** Members of `COMMON` are optional here and override it. */
type Docs<R> = {
  readonly doc: string;
  readonly fields: { readonly [F in OwnMember<R>]: R[F] extends number | null ? FieldDoc : string } & {
    readonly [F in Extract<keyof R, keyof typeof COMMON>]?: string;
  };
};

type NestedRecords = {
  readonly 'rendering.Meta': Meta;
  readonly 'rendering.PayloadRef': PayloadRef;
  readonly 'rendering.Seal': Seal;
  readonly 'rendering.SealKey': SealKey;
  readonly 'rendering.Output': Output;
  readonly 'rendering.status.Transition': Transition;
  readonly 'rendering.status.Attempt': Attempt;
  readonly 'rendering.status.Prepared': PreparedRender;
  readonly 'rendering.status.Failure': Failure;
  readonly 'rendering.status.Render': Render;
  readonly 'rendering.heartbeats.RunningAttempt': RunningAttempt;
  readonly 'rendering.heartbeats.FailedAttempt': FailedAttempt;
  readonly 'rendering.heartbeats.SegmentSpan': SegmentSpan;
  readonly 'rendering.heartbeats.HelpWanted': HelpWanted;
  readonly 'rendering.heartbeats.Help': Help;
  readonly 'rendering.heartbeats.SetAside': SetAside;
};

export type NestedName = keyof NestedRecords;

const PREPARED: Docs<PreparedRender>['fields'] = {
  composition: 'The final composition: the project with the values in place.',
  price_credits: 'What the completion will charge, credits.',
  width: 'Of the master, pixels.',
  height: 'Of the master, pixels.',
  fps_num: 'Frame rate, frames per second: the numerator.',
  fps_den: 'Frame rate: the denominator.',
  frames: 'Length of the video, frames.',
};

const FAILURE: Docs<Failure>['fields'] = {
  stage: 'preparation, dispatch, rendering or storing.',
  code: 'Why, as a code like unreadable_media or cancelled.',
  message: 'Why, as a sentence. It names a field, never its value.',
  field: 'The field at fault, as a path in the request or in the project; null where it is none.',
};

const BODY_OF_KEY = {
  secret_sha256: 'SHA-256 of the whole key as shown, lowercase hex. The key itself is stored nowhere.',
  prefix: 'Its first seven characters, so that a person can tell keys apart.',
  last4: 'Its last four characters.',
  expires_at: time('When it ends; null for never.'),
} as const;

const PLANNED: Docs<Omit<DeliveryPlanned, 'type'>>['fields'] = {
  seq: 'Number of the transition that it tells of, from 1; 0 in a test delivery, which is about no render that exists.',
  event: 'Kind of the event: render.status_changed, render.complete or render.failed.',
  status_offset: 'Where the transition stands in the same partition of render-status; null in a test delivery.',
  repeats: 'The delivery that is made again with this one, by hand, hook_…; null where it is none.',
};

const NESTED: { readonly [K in keyof NestedRecords]: Docs<NestedRecords[K]> } = {
  'rendering.Meta': {
    doc: 'What every record of every topic carries.',
    fields: {
      event_id: 'ULID, minted by the process that appends.',
      occurred_at: time("By the appender's clock. The log's append time is the one that readers trust."),
      actor: 'Who, as kind:id, for example key:key_01H…, user:user_01H… or worker:wkr_01H….',
      causation_id: 'The event_id of the record that led to this one; null where none did.',
      correlation_id: 'The request or operation that it all began with; null where it is not known.',
    },
  },
  'rendering.PayloadRef': {
    doc: 'A document outside the log, because it may name a person.',
    fields: {
      path: 'In the blob container.',
      sha256: 'SHA-256 of salt and bytes, lowercase hex. The salt lies with the blob, and is erased with it.',
    },
  },
  'rendering.Seal': {
    doc: 'Free text, encrypted with a leaf of a key tree. Without the leaf nothing opens it.',
    fields: {
      tree: "Name of the account's key tree, a ULID. The tree is a blob below the account's folder, in keys/.",
      leaf: 'Number of the leaf, from 0 to 1,023. An erasure removes it from the tree.',
      box: 'Base64url of: version 1 (one byte), nonce (12 bytes), AES-256-GCM ciphertext of padded JSON, tag (16 bytes).',
    },
  },
  'rendering.SealKey': {
    doc: 'The key of a sealed text.',
    fields: {
      tree: "Name of the account's key tree, a ULID.",
      leaf: 'Number of the leaf, from 0 to 1,023.',
    },
  },
  'rendering.Output': {
    doc: 'One stored file.',
    fields: {
      variant: 'Which one: master, poster, or the name that the project gives it.',
      path: 'In the blob container.',
      content_type: 'Its media type, like video/mp4.',
      size_bytes: 'Its size, bytes.',
      sha256: 'SHA-256 of its bytes, lowercase hex.',
      width: 'Pixels.',
      height: 'Pixels.',
      duration_ms: 'How long it plays, ms; 0 of a picture.',
    },
  },
  'rendering.status.Transition': {
    doc: 'An accepted change of status.',
    fields: {
      seq: 'Its number in the life of the render: 1 is the creation.',
      from: 'The status before; null at the creation.',
      to: 'The status since.',
      at: time('Append time of the event that changed it, never before that of an earlier change.'),
    },
  },
  'rendering.status.Attempt': {
    doc: 'One try of one worker.',
    fields: {
      id: 'The attempt, att_….',
      n: 'Its number, from 1.',
      progressed: 'Whether it has reported frames.',
      finished: 'Whether all frames were encoded.',
      lost: 'Why it was lost, as in AttemptLost; null where it was not.',
    },
  },
  'rendering.status.Prepared': { doc: 'What the preparation has found.', fields: PREPARED },
  'rendering.status.Failure': { doc: 'Why a render has failed.', fields: FAILURE },
  'rendering.status.Render': {
    doc: 'What the fold knows of a render.',
    fields: {
      id: 'The render, rend_….',
      fold_version: 'The version of the rules that fold this render all its life.',
      name: 'Empty since fold version 3, and once the render is erased: it may name a person.',
      project_version: 'The version of the project that it is rendered from.',
      template_id: 'The template of the project; null where the project is rendered as it stands.',
      type: 'How it was rendered: the kind of the deployment, like local.',
      created_by: 'The user who asked for it, user_…; null where a key of no user did.',
      created_at: time('Append time of its request.'),
      updated_at: time('When its status last changed; null until it has.'),
      status: 'initializing, ready, queued, processing, finalizing, complete or failed.',
      seq: 'How many transitions there were so far, creation included.',
      request:
        'The payload with its name and values; null where there is none. The path `sealed` names no blob: the values are sealed.',
      request_hash: 'Keyed hash of the whole request; null without an Idempotency-Key.',
      correlation_id: 'The request that it began with; null where it is not known.',
      reserved_credits: 'What was held back when it was asked for, credits.',
      prepared: 'What the preparation has found; null until it has ended.',
      attempts: 'In order of assignment; only the last can be open.',
      outputs: 'Empty until it is complete. The first is the master.',
      poster: 'The picture that stands for it; null where there is none, and until it is complete.',
      charged_credits: 'What it has cost, credits; 0 until it is complete.',
      failure: 'Why it has failed; null where it has not.',
      erased_at: time('When it was erased; null until then.'),
      sealed: 'The key of its sealed text, also once it is erased; null before fold version 4.',
    },
  },
  'rendering.heartbeats.RunningAttempt': {
    doc: 'An attempt that a worker runs.',
    fields: {
      stage: 'fetching, rendering or storing.',
      frames_done: 'Frames that are encoded.',
      frames_total: 'Frames in all.',
    },
  },
  'rendering.heartbeats.FailedAttempt': {
    doc: 'An attempt that ended with a fault of its render, or was cancelled with it.',
    fields: { cpu_ms: 'The time of processors that it took, ms.' },
  },
  'rendering.heartbeats.SegmentSpan': {
    doc: 'Neighbouring segments of a film, counted from 0: the first, and the one behind the last.',
    fields: { from: 'The first.', until: 'The one behind the last.' },
  },
  'rendering.heartbeats.HelpWanted': {
    doc: 'A film of which other workers may encode parts into the cache of its account.',
    fields: {
      composition: 'What is rendered.',
      parts_sha256: 'Hash of the cache keys of all parts: an engine that makes others does not help.',
      lacking: 'Segments that nobody has begun, as far as its worker knows.',
    },
  },
  'rendering.heartbeats.Help': {
    doc: 'What a worker encodes of the film of another one.',
    fields: {
      taken: 'Which segments it took, in that order; where several took one, the first in the log has it.',
      stored: 'Those whose parts are in the cache.',
    },
  },
  'rendering.heartbeats.SetAside': {
    doc: 'A machine that lost several attempts in a row, and gets none for a while.',
    fields: {
      machine_id: 'An eight-digit hash, or the id of an older worker.',
      losses: 'How many it lost in a row.',
      left_ms: 'Time until it gets another one, from this heartbeat on, ms.',
    },
  },
};

const RECORD_DOCS: { readonly [K in RecordType]: Docs<Extract<AnyRecord, { readonly type: K }>> } = {
  RenderRequested: {
    doc: "A client asked for a render. The project's version is pinned here; name and values are in the payload or sealed.",
    fields: {
      fold_version: 'The version of the rules that fold this render all its life.',
      name: 'Empty since fold version 3: it may name a person, so it is in the payload or sealed.',
      project_version: 'The version of the project that it is rendered from.',
      template_id: 'The template of the project; null where the project is rendered as it stands.',
      render_type: 'How it is rendered: the kind of the deployment, like local.',
      created_by: 'The user who asked for it, user_…; null where a key of no user did.',
      request:
        'The name, and the values as given; null where neither is in a payload. The path `sealed` names no blob: the values are sealed.',
      request_hash:
        'Keyed hash of the whole request, to tell a repeat from another one; null without an Idempotency-Key.',
      reserved_credits: 'Price that is held back until the render ends, credits.',
      name_sha256: "Salted hash of the name in the payload; null where the name is the event's own.",
      draft: 'Whether a draft was asked for: small, for less; null before there were drafts.',
      sealed: 'Name and values, encrypted; null before fold version 4. Values of more than 8 KiB are in the payload.',
    },
  },
  RenderPrepared: { doc: 'The final composition exists, and can be rendered.', fields: PREPARED },
  RenderAssigned: {
    doc: 'The dispatcher gave an attempt to a worker.',
    fields: { n: 'Number of the attempt, from 1.' },
  },
  AttemptLost: {
    doc: 'An attempt ended without a result.',
    fields: {
      reason: 'Why, as a code like crashed or drained.',
      detail: 'For operators, a short code such as disk_full; null where there is none.',
    },
  },
  RenderProgressed: {
    doc: 'The first progress report of an attempt. Later ones travel in heartbeats only.',
    fields: { frames_done: 'Frames that are encoded.', frames_total: 'Frames in all.' },
  },
  RenderingFinished: {
    doc: 'All frames are encoded; storing and charging begin.',
    fields: {
      frames: 'Frames of the master, those that the segment cache had included.',
      engine_ms: 'Wall-clock time of the encoder, ms.',
      frames_cached: 'Frames that the segment cache had, so that they were not encoded; null from older workers.',
    },
  },
  RenderCompleted: {
    doc: 'Everything is stored. What it costs stands in RenderPrepared.',
    fields: {
      outputs: 'The files. The first is the master.',
      poster: 'The picture that stands for it; null where there is none.',
    },
  },
  RenderFailed: {
    doc: 'The render stopped for good.',
    fields: {
      ...FAILURE,
      attempt_id: 'The attempt that failed, att_…; null where no worker says so.',
    },
  },
  RenderErased: {
    doc: 'The render is forgotten: its texts, its outputs and all that was made of them. What it has cost stays.',
    fields: {},
  },
  RenderFactAccepted: {
    doc: 'An event that the fold accepted, and the render as it then was. A repeat has the same content.',
    fields: {
      meta: "As of the event: its event_id is derived from the event's, which is the causation_id.",
      source_offset:
        'Where the event stands in the same partition of render-events: the one number that consumers keep.',
      fact_type: 'The type of the event, like RenderCompleted.',
      fact_causation_id: 'What the event itself was caused by; null where nothing was named.',
      appended_at: time('Append time of the event.'),
      transition: 'How the status changed; null where the event changed none.',
      render: 'The render behind the event.',
    },
  },
  StartAttempt: {
    doc: 'A worker is to begin an attempt. It is sent once the assignment was read back as accepted, and may be repeated.',
    fields: {
      n: 'Number of the attempt, from 1.',
      composition: 'The final composition.',
      frames: 'Length of the video, frames.',
    },
  },
  StopAttempt: {
    doc: 'A worker is to end an attempt.',
    fields: { reason: 'Why: the attempt is over by what the log says, or its render was cancelled.' },
  },
  WorkerBeat: {
    doc: 'A worker is alive, and these are the attempts that it runs. Every two seconds.',
    fields: {
      beat: 'Counts from 1 for each worker.',
      slots: 'How many attempts it may run at once; 0 while it is impeded.',
      draining: 'Whether it takes nothing new, because it is to end.',
      attempts: 'Those that run.',
      failed: 'Those of the last seconds: in several heartbeats, as one may be lost.',
      engines: 'Versions of compositions that its engine reads; empty from older workers, which do not say.',
      impediments: 'Why it takes nothing new for now, by short codes such as disk.',
      wanted: 'Of its attempts, those that other workers may help with; empty from older workers.',
      helps: 'What it encodes for other workers, beside its attempts; empty from older workers.',
    },
  },
  DispatcherBeat: {
    doc: 'The active dispatcher is alive: while these come back, silence of a worker means something.',
    fields: {
      dispatcher_id: 'The process, disp_….',
      beat: 'Counts from 1 for each dispatcher.',
      set_aside: 'Machines that get no attempts for now; a bounded number of them.',
    },
  },
  AccountCreated: {
    doc: 'There is an account.',
    fields: {
      name: 'Its name.',
      unlimited_credits: 'Whether it is never refused for want of credits; it is charged all the same.',
    },
  },
  AccountRenamed: { doc: 'An account has another name.', fields: { name: 'The new one.' } },
  CreditLimitLifted: { doc: 'From here on the account is never refused for want of credits.', fields: {} },
  CreditLimitImposed: { doc: 'From here on the account renders only what its credits pay for.', fields: {} },
  CreditsGranted: {
    doc: 'An account was given credits.',
    fields: { grant_id: 'The grant, grant_…: a repeat of the same one grants nothing.', credits: 'How many, credits.' },
  },
  TeamCreated: { doc: 'There is a team.', fields: { name: 'Its name.' } },
  TeamRenamed: { doc: 'A team has another name.', fields: { name: 'The new one.' } },
  UserRegistered: {
    doc: 'There is a user. The e-mail address is a payload, never part of the log.',
    fields: { email: 'The payload with the address; null where there is none.' },
  },
  UserEmailChanged: {
    doc: 'A user has another e-mail address.',
    fields: { email: 'The payload with the address; null where there is none any more.' },
  },
  MemberAdded: { doc: 'A user is a member of a team.', fields: { role: 'admin or member.' } },
  MemberRoleChanged: { doc: 'A member has another role.', fields: { role: 'admin or member.' } },
  MemberRemoved: { doc: 'A user is no member of a team any more.', fields: {} },
  ApiKeyIssued: {
    doc: 'There is an API key.',
    fields: {
      ...BODY_OF_KEY,
      user_id: 'Whose key it is, user_…; null where it is no user’s.',
      team_ids: 'The teams that it reaches, team_….',
      name: 'Its name.',
      scopes:
        'What it may do beyond other keys, like projects:write; null before rules 4 and for a key without scopes.',
    },
  },
  ApiKeyRotated: {
    doc: 'A key in the place of another: of the same account, user, teams and name. The other one ends.',
    fields: {
      ...BODY_OF_KEY,
      key_id: 'The key that is replaced, key_….',
      new_key_id: 'The new key, key_….',
      overlap_until: time('When the replaced key ends, unless sooner; at or before the append time it ends at once.'),
    },
  },
  ApiKeyRevoked: { doc: 'A key has ended.', fields: {} },
  ProjectCreated: {
    doc: 'There is a project.',
    fields: {
      name: 'Empty where there is a payload.',
      created_by: 'The user who made it, user_…; null where an operator did.',
      payload: 'It holds the name; null in records from before rules 2.',
    },
  },
  ProjectVersionAdded: {
    doc: 'A whole new version of a project.',
    fields: {
      version: 'Its number, from 1.',
      base_version: 'The version that it was made of, 0 before the first: it counts only where that is still the last.',
      name: 'Empty where there is a payload, like the document and its hash.',
      document: 'Canonical JSON of the project document, at most 256 KiB.',
      document_sha256: 'SHA-256 of the document, lowercase hex.',
      payload: 'It is the document, which has the name; null in records from before rules 2.',
    },
  },
  ProjectThumbnailMade: {
    doc: "A still of a version of a project as it stands, never with a render's values. The first one of a version counts.",
    fields: {
      version: 'The version of the project.',
      path: 'In the blob container.',
      content_type: 'Its media type, like image/jpeg.',
      sha256: 'SHA-256 of its bytes, lowercase hex.',
      width: 'Pixels.',
      height: 'Pixels.',
    },
  },
  ProjectErased: {
    doc: 'For good: nothing shows the project from here on, and its renders are erased one by one.',
    fields: {},
  },
  WebhookEndpointCreated: {
    doc: 'There is an address that deliveries of a team go to.',
    fields: {
      url: 'It begins with https://, and has at most 2,000 characters.',
      events: 'Kinds of events that are sent there, at least one.',
      secret: 'The signing secret, sealed with the key of the deployment.',
    },
  },
  WebhookEventsChosen: {
    doc: 'From here on the endpoint is subscribed to these, and to no others.',
    fields: { events: 'Kinds of events, at least one.' },
  },
  WebhookSecretRotated: {
    doc: 'A new secret beside the old one, until it is activated: by hand, or by itself after a day.',
    fields: { secret: 'The new one, sealed.' },
  },
  WebhookSecretActivated: {
    doc: 'The new secret takes the place of the old one, before it does so by itself.',
    fields: { secret: 'The new one, sealed, as it was rotated in: a repeat activates no secret of a later rotation.' },
  },
  WebhookEndpointDisabled: {
    doc: 'Nothing is sent to the endpoint from here on.',
    fields: {
      reason: 'by_hand, gone or failing.',
      enabled_since: time(
        'Since when it was enabled as this was decided: else it counts not; null by hand, which counts always.',
      ),
    },
  },
  WebhookEndpointEnabled: { doc: 'The endpoint is sent to again.', fields: {} },
  WebhookEndpointDeleted: { doc: 'The endpoint is gone for good, and its secrets are deleted.', fields: {} },
  AccountOwnerAdded: { doc: 'A user is an owner of the account.', fields: {} },
  AccountOwnerRemoved: { doc: 'A user is no owner of the account any more.', fields: {} },
  InvitationCreated: {
    doc: 'Whoever has the token may take the role, once. To whom it is sent stands nowhere.',
    fields: {
      team_id: 'The team, team_…; null for an owner of the account.',
      role: 'owner, admin or member.',
      token_sha256: 'SHA-256 of the token as shown, lowercase hex. The token itself is stored nowhere.',
      expires_at: time('When it ends; no later than 7 days after the append, whatever it says.'),
    },
  },
  InvitationRevoked: { doc: 'An invitation has ended.', fields: {} },
  InvitationAccepted: { doc: 'The user is a member or an owner, as the invitation says.', fields: {} },
  IdentityLinked: {
    doc: 'From here on who signs in as this identity is the user.',
    fields: { identity_id: 'A keyed hash of the issuer and the subject, lowercase hex.' },
  },
  IdentityUnlinked: {
    doc: 'From here on who signs in as this identity is the user no more.',
    fields: { identity_id: 'A keyed hash of the issuer and the subject, lowercase hex.' },
  },
  AccountLimitSet: {
    doc: 'How many of something an account may have. What there is already stays.',
    fields: {
      resource: 'keys, endpoints, teams, projects or members.',
      most: 'How many at most; null for the default.',
    },
  },
  UserErased: {
    doc: 'For good: the user may do nothing and is given nothing from here on; what they had is taken away one by one.',
    fields: {},
  },
  AccountErased: {
    doc: 'For good: nothing is given to the account or made in it from here on; all that it has ends one by one.',
    fields: {},
  },
  AccountRetentionSet: {
    doc: 'How long something is kept of each render of an account, after its end.',
    fields: { what: 'outputs or media.', days: 'For how long, days; null for the default.' },
  },
  DeliveryRetentionSet: {
    doc: 'How long at most it is kept what endpoints of an account answered to deliveries.',
    fields: { days: 'For how long after the delivery was planned, days; null for the default.' },
  },
  DownloadNamingSet: {
    doc: 'What signed URLs of an account name their files by.',
    fields: { named_by: 'name or id, of the render or project.' },
  },
  DeliveryRequested: {
    doc: 'A person asks for a delivery: an earlier one again, or a test. The actor says who.',
    fields: PLANNED,
  },
  DeliveryPlanned: { doc: 'A delivery is owed. A repeat of the record is the same delivery.', fields: PLANNED },
  DeliverySkipped: {
    doc: 'A delivery that would have been owed is not made. An end.',
    fields: { ...PLANNED, reason: 'Why: disabled, deleted, erased, backlog and the like.' },
  },
  DeliveryAttempted: {
    doc: 'One attempt of a delivery has ended.',
    fields: {
      n: 'Its number, from 1.',
      started_at: time("By the relay's clock."),
      duration_ms: 'How long it took, ms.',
      body_sha256: 'SHA-256 of the exact bytes that were sent, lowercase hex.',
      succeeded: 'Whether the endpoint answered 2xx.',
      status: 'HTTP status; null where none came.',
      fault: 'What went wrong, as a code like timeout; null if nothing did.',
    },
  },
  DeliverySucceeded: { doc: 'The endpoint answered 2xx. An end.', fields: { attempts: 'How many it took.' } },
  DeliveryExhausted: {
    doc: 'The last attempt failed, or the endpoint said that it is gone for good. An end.',
    fields: { attempts: 'How many were made.', reason: 'attempts_failed or gone.' },
  },
};

const withCommon = ({ doc, fields }: RecordDoc): RecordDoc => ({ doc, fields: { ...COMMON, ...fields } });

export const docOfRecord = (type: RecordType): RecordDoc => withCommon(RECORD_DOCS[type]);

export const docOfNested = (full_name: NestedName): RecordDoc => withCommon(NESTED[full_name]);
