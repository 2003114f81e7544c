import type * as t from 'io-ts';
import { CATALOGUE_EVENTS } from '../domain/catalogue/events.ts';
import { StartAttempt, StopAttempt } from '../domain/dispatch/commands.ts';
import {
  DispatcherBeat,
  FailedAttempt,
  Help,
  HelpWanted,
  RunningAttempt,
  SegmentSpan,
  SetAside,
  WorkerBeat,
} from '../domain/dispatch/heartbeats.ts';
import { Meta } from '../domain/event/meta.ts';
import { PayloadRef } from '../domain/event/payload.ts';
import { Seal, SealKey } from '../domain/event/seal.ts';
import { Failure, Output, PreparedRender, RENDER_EVENTS } from '../domain/render/events.ts';
import { Attempt, Render, Transition } from '../domain/render/render.ts';
import { RenderFactAccepted } from '../domain/render/status.ts';
import { WEBHOOK_EVENTS } from '../domain/webhooks/delivery-events.ts';
import type { AnyRecord, RecordType } from './any-record.ts';
import {
  type AvroRecord,
  type AvroType,
  avroRecord,
  type NamedRecord,
  type NestedRecords,
  withNamesDefinedOnce,
} from './avro.ts';
import { docOfNested, docOfRecord, type NestedName } from './record-docs.ts';

/** `full_name` is also the subject in the schema registry. */
export type RecordDefinition = {
  readonly type: RecordType;
  readonly full_name: string;
  readonly avro: AvroType;
  readonly codec: t.Decoder<unknown, AnyRecord>;
};

const CODECS: { readonly [K in RecordType]: t.Mixed & t.Decoder<unknown, Extract<AnyRecord, { type: K }>> } = {
  ...RENDER_EVENTS,
  ...CATALOGUE_EVENTS,
  ...WEBHOOK_EVENTS,
  RenderFactAccepted,
  StartAttempt,
  StopAttempt,
  WorkerBeat,
  DispatcherBeat,
};

/** One Avro namespace per topic. */
const namespaceOf = (type: RecordType): string => {
  if (type in RENDER_EVENTS) return 'rendering.events';
  if (type in CATALOGUE_EVENTS) return 'rendering.catalogue';
  if (type in WEBHOOK_EVENTS) return 'rendering.webhooks';
  if (type === 'RenderFactAccepted') return 'rendering.status';
  return type === 'StartAttempt' || type === 'StopAttempt' ? 'rendering.commands' : 'rendering.heartbeats';
};

const nestedRecord = (full_name: NestedName): NamedRecord => ({ full_name, doc: docOfNested(full_name) });

const NESTED: NestedRecords = new Map<t.Mixed, NamedRecord>([
  [Meta, nestedRecord('rendering.Meta')],
  [PayloadRef, nestedRecord('rendering.PayloadRef')],
  [Seal, nestedRecord('rendering.Seal')],
  [SealKey, nestedRecord('rendering.SealKey')],
  [Output, nestedRecord('rendering.Output')],
  [Transition, nestedRecord('rendering.status.Transition')],
  [Attempt, nestedRecord('rendering.status.Attempt')],
  [PreparedRender, nestedRecord('rendering.status.Prepared')],
  [Failure, nestedRecord('rendering.status.Failure')],
  [Render, nestedRecord('rendering.status.Render')],
  [RunningAttempt, nestedRecord('rendering.heartbeats.RunningAttempt')],
  [FailedAttempt, nestedRecord('rendering.heartbeats.FailedAttempt')],
  [SegmentSpan, nestedRecord('rendering.heartbeats.SegmentSpan')],
  [HelpWanted, nestedRecord('rendering.heartbeats.HelpWanted')],
  [Help, nestedRecord('rendering.heartbeats.Help')],
  [SetAside, nestedRecord('rendering.heartbeats.SetAside')],
]);

const TYPES: readonly RecordType[] = Object.keys(CODECS).filter((key): key is RecordType => key in CODECS);

/**
 * The Avro schema of a record. It may define the same nested record more than once; see {@link withNamesDefinedOnce}.
 */
export const avroOf = (type: RecordType): AvroRecord =>
  avroRecord(CODECS[type], { full_name: `${namespaceOf(type)}.${type}`, doc: docOfRecord(type) }, NESTED);

export const recordOfType = (type: RecordType): RecordDefinition => ({
  type,
  full_name: `${namespaceOf(type)}.${type}`,
  avro: withNamesDefinedOnce(avroOf(type)),
  codec: CODECS[type],
});

export const RECORDS: readonly RecordDefinition[] = TYPES.map(recordOfType);

const BY_FULL_NAME = new Map(RECORDS.map((definition) => [definition.full_name, definition]));

export const recordNamed = (full_name: string): RecordDefinition | undefined => BY_FULL_NAME.get(full_name);
