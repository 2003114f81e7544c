import type * as t from 'io-ts';
import { CATALOGUE_EVENTS, type CatalogueEvent } from '../domain/catalogue/events.ts';
import { type RenderCommand, StartAttempt, StopAttempt } from '../domain/dispatch/commands.ts';
import {
  DispatcherBeat,
  FailedAttempt,
  type Heartbeat,
  RunningAttempt,
  SetAside,
  WorkerBeat,
} from '../domain/dispatch/heartbeats.ts';
import { Meta } from '../domain/event/meta.ts';
import { PayloadRef } from '../domain/event/payload.ts';
import { Failure, Output, Prepared, RENDER_EVENTS, type RenderEvent } from '../domain/render/events.ts';
import { Attempt, Render, Transition } from '../domain/render/render.ts';
import { RenderFactAccepted } from '../domain/render/status.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../domain/webhooks/delivery-events.ts';
import { type AvroRecord, type AvroType, avroRecord, type NestedNames, selfContained } from './avro.ts';

/** Every record of every topic. */
export type AnyRecord = RenderEvent | RenderFactAccepted | RenderCommand | Heartbeat | CatalogueEvent | WebhookEvent;
export type RecordType = AnyRecord['type'];

/** A record's name on the wire (also its subject in the registry), its Avro schema, and the codec of its content. */
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

/** Avro namespaces: one for each topic. */
const namespaceOf = (type: RecordType): string => {
  if (type in RENDER_EVENTS) return 'rendering.events';
  if (type in CATALOGUE_EVENTS) return 'rendering.catalogue';
  if (type in WEBHOOK_EVENTS) return 'rendering.webhooks';
  if (type === 'RenderFactAccepted') return 'rendering.status';
  return type === 'StartAttempt' || type === 'StopAttempt' ? 'rendering.commands' : 'rendering.heartbeats';
};

const NESTED: NestedNames = new Map<t.Mixed, string>([
  [Meta, 'rendering.Meta'],
  [PayloadRef, 'rendering.PayloadRef'],
  [Output, 'rendering.Output'],
  [Transition, 'rendering.status.Transition'],
  [Attempt, 'rendering.status.Attempt'],
  [Prepared, 'rendering.status.Prepared'],
  [Failure, 'rendering.status.Failure'],
  [Render, 'rendering.status.Render'],
  [RunningAttempt, 'rendering.heartbeats.RunningAttempt'],
  [FailedAttempt, 'rendering.heartbeats.FailedAttempt'],
  [SetAside, 'rendering.heartbeats.SetAside'],
]);

const TYPES: readonly RecordType[] = Object.keys(CODECS).filter((key): key is RecordType => key in CODECS);

/** The Avro schema of a record; records inside it that are alike stand in it more than once. */
export const avroOf = (type: RecordType): AvroRecord =>
  avroRecord(CODECS[type], `${namespaceOf(type)}.${type}`, NESTED);

export const recordOfType = (type: RecordType): RecordDefinition => ({
  type,
  full_name: `${namespaceOf(type)}.${type}`,
  avro: selfContained(avroOf(type)),
  codec: CODECS[type],
});

export const RECORDS: readonly RecordDefinition[] = TYPES.map(recordOfType);

const BY_FULL_NAME = new Map(RECORDS.map((definition) => [definition.full_name, definition]));

export const recordNamed = (full_name: string): RecordDefinition | undefined => BY_FULL_NAME.get(full_name);
