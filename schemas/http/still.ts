import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Values } from '../../domain/composition/values.ts';
import { orNull, Shape } from '../../domain/shape/shape.ts';
import { decodeBody, Id, RequestValues } from './render-request.ts';

/** The path of the stills service, which the gateway does not lead to. */
export const STILLS_PATH = '/stills';

/** The body of POST /stills: a moment of a project as it stands, or of a template of it with values. */
export type StillRequest = {
  readonly project_id: string;
  readonly template_id: string | null;
  readonly values: Values;
  /** Seconds. */
  readonly at_s: number;
  readonly format: 'png' | 'jpeg';
};

/** An hour is the longest film; later ones are refused when the film is known. */
const LATEST_S = 100_000;

const Moment = new Shape<number>(
  'a number',
  t.number.is,
  (u, context) =>
    typeof u === 'number' && u >= 0 && u < LATEST_S
      ? t.success(u)
      : t.failure(u, context, u === undefined ? 'is required, in seconds' : `must be seconds, from 0 to ${LATEST_S}`),
  { type: 'number' },
);
const Format = new Shape<StillRequest['format']>(
  '"png" or "jpeg"',
  (u): u is StillRequest['format'] => u === 'png' || u === 'jpeg',
  (u, context) => {
    if (u === undefined || u === null) return t.success('png');
    return u === 'png' || u === 'jpeg' ? t.success(u) : t.failure(u, context, 'must be "png" or "jpeg"');
  },
  { type: 'string' },
);
const Body = t.type(
  { project_id: Id, template_id: orNull(Id), values: RequestValues, at_s: Moment, format: Format },
  'a JSON object',
);

/** @returns the request, or one line that names every field at fault and its fault */
export const decodeStillRequest = (body: unknown): E.Either<string, StillRequest> => {
  const decoded = decodeBody(Body, body);
  if (E.isLeft(decoded)) return decoded;
  const { project_id, template_id, values, at_s, format } = decoded.right;
  return E.right({ project_id, template_id, values, at_s, format });
};

/** What is said of a still beside its bytes, as JSON in the header `X-Still`. */
export const StillFacts = t.strict({
  /** Its number in the film, from 0, and its moment in seconds. */
  frame: t.number,
  at_s: t.number,
  width: t.number,
  height: t.number,
  /** Values that no field of the template takes, each with a suggestion. */
  left_out: t.readonlyArray(t.string),
});
export type StillFacts = t.TypeOf<typeof StillFacts>;

export const STILL_HEADER = 'X-Still';

/** Of 16 KiB that readers take for all headers. */
const MOST_LEFT_OUT = 4_096;

/** Headers are ASCII: other characters are escaped as JSON escapes them. */
const escaped = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The first ones, and how many more there are: their keys are the client's own texts, as many and as long as it likes. */
const shortened = (left_out: readonly string[]): readonly string[] => {
  let size = 0;
  const shown = left_out.filter((text) => {
    size += escaped(text).length;
    return size <= MOST_LEFT_OUT;
  });
  const more = left_out.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more values: the template has no such fields`];
};

export const stillHeader = (facts: StillFacts): string => escaped({ ...facts, left_out: shortened(facts.left_out) });

/**
 * Why there is no still, as a `fault` beside the `error` of the answer: `missing` 404, `no_version` and `refused` 400,
 * `engine_failed` 503.
 */
export const StillFault = t.union([
  t.strict({ tag: t.literal('missing'), kind: t.literal('project'), id: t.string }),
  t.strict({ tag: t.literal('no_version'), project_id: t.string, needed_for: t.literal('assets') }),
  t.strict({ tag: t.literal('refused'), reason: t.string, message: t.string }),
  t.strict({ tag: t.literal('engine_failed'), message: t.string }),
]);
export type StillFault = t.TypeOf<typeof StillFault>;
