import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { discriminatedUnion } from '../shape/json-schema.ts';
import { number, optional, Shape } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { Group, LAYER_CODECS, Layer } from './layers.ts';
import { LIMITS } from './limits.ts';
import { LocalId } from './names.ts';

/** The layer begins `offset` seconds after the end of another layer; before it if the offset is negative. */
export const StartAfter = strictObject({
  after: LocalId,
  offset: optional(number({ min: -LIMITS.duration_s, max: LIMITS.duration_s })),
});
export type StartAfter = t.TypeOf<typeof StartAfter>;

/** Seconds, or the end of another layer. */
export const Start = new Shape<number | StartAfter>(
  Group.members.start.name,
  (u): u is number | StartAfter => Group.members.start.is(u) || StartAfter.is(u),
  (u, context) => (t.UnknownRecord.is(u) ? StartAfter.validate(u, context) : Group.members.start.validate(u, context)),
  { anyOf: [Group.members.start.schema, StartAfter.schema] },
);

type Written<L> = L extends Layer | Group ? Omit<L, 'start'> & { readonly start: number | StartAfter } : never;

/** A layer as a project has it. A final composition has a number of seconds for each start. */
export type WrittenLayer = Written<Layer>;
export type WrittenGroup = Written<Group>;

const schemaOf = ({ schema }: (typeof LAYER_CODECS)[keyof typeof LAYER_CODECS]) => {
  const { default: otherwise, ...seconds } = Object(Object(schema.properties).start);
  const start = { anyOf: [seconds, StartAfter.schema], default: otherwise };
  return { ...schema, properties: { ...Object(schema.properties), start } };
};

export const WRITTEN_SCHEMAS = Object.fromEntries(
  Object.entries(LAYER_CODECS).map(([type, codec]) => [type, schemaOf(codec)]),
);

const isWritten = (u: unknown): u is { readonly start: object } =>
  t.UnknownRecord.is(u) && typeof u.start === 'object' && u.start !== null;

export const WrittenLayer = new Shape<WrittenLayer>(
  Layer.name,
  (u): u is WrittenLayer => (isWritten(u) ? StartAfter.is(u.start) && Layer.is({ ...u, start: 0 }) : Layer.is(u)),
  (u, context) => {
    if (!isWritten(u)) return Layer.validate(u, context);
    const start = StartAfter.validate(u.start, t.appendContext(context, 'start', StartAfter, u.start));
    const layer = Layer.validate({ ...u, start: 0 }, context);
    if (E.isLeft(layer)) return t.failures([...layer.left, ...(E.isLeft(start) ? start.left : [])]);
    return E.isLeft(start) ? start : t.success({ ...layer.right, start: start.right });
  },
  discriminatedUnion('type', WRITTEN_SCHEMAS),
);
