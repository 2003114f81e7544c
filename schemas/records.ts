import type * as t from 'io-ts';
import { CATALOGUE_EVENTS, type CatalogueEvent } from '../domain/catalogue/events.ts';
import { type RenderCommand, StartAttempt, StopAttempt } from '../domain/dispatch/commands.ts';
import { DispatcherBeat, type Heartbeat, WorkerBeat } from '../domain/dispatch/heartbeats.ts';
import { RENDER_EVENTS, type RenderEvent } from '../domain/render/events.ts';
import { RenderFactAccepted } from '../domain/render/status.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../domain/webhooks/delivery-events.ts';
import { type AvroType, selfContained } from './avro.ts';
import { RECORD_SCHEMAS } from './record-schemas.ts';

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

const CODECS: { readonly [K in RecordType]: t.Decoder<unknown, Extract<AnyRecord, { type: K }>> } = {
  ...RENDER_EVENTS,
  ...CATALOGUE_EVENTS,
  ...WEBHOOK_EVENTS,
  RenderFactAccepted,
  StartAttempt,
  StopAttempt,
  WorkerBeat,
  DispatcherBeat,
};

const TYPES: readonly RecordType[] = Object.keys(CODECS).filter((key): key is RecordType => key in CODECS);

export const recordOfType = (type: RecordType): RecordDefinition => {
  const schema = RECORD_SCHEMAS[type];
  const full_name = `${schema.namespace}.${schema.name}`;
  return { type, full_name, avro: selfContained(schema), codec: CODECS[type] };
};

export const RECORDS: readonly RecordDefinition[] = TYPES.map(recordOfType);

const BY_FULL_NAME = new Map(RECORDS.map((definition) => [definition.full_name, definition]));

export const recordNamed = (full_name: string): RecordDefinition | undefined => BY_FULL_NAME.get(full_name);
