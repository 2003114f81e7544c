import type * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Shape } from '../../domain/shape/shape.ts';
import type { InputFault } from './error-codes.ts';
import { decodeTemplated, ProjectId, TemplateId, ValuesMember } from './public/render-request.ts';
import { object } from './shapes.ts';

/** The path of the stills service. The gateway does not route to it. */
export const STILLS_PATH = '/stills';

/** The maximum time in a request, longer than any film. The exact limit applies once the film is known. */
const MAX_AT_S = 100_000;

const Moment = new Shape<number>(
  'a number',
  t.number.is,
  (u, context) =>
    typeof u === 'number' && u >= 0 && u < MAX_AT_S
      ? t.success(u)
      : t.failure(u, context, u === undefined ? 'is required, in seconds' : `must be seconds, from 0 to ${MAX_AT_S}`),
  { type: 'number' },
);
type StillFormat = 'png' | 'jpeg';

const Format = new Shape<StillFormat>(
  '"png" or "jpeg"',
  (u): u is StillFormat => u === 'png' || u === 'jpeg',
  (u, context) => {
    if (u === undefined || u === null) return t.success('png');
    return u === 'png' || u === 'jpeg' ? t.success(u) : t.failure(u, context, 'must be "png" or "jpeg"');
  },
  { type: 'string' },
);
const Still = object('A moment of a project, or of a template of it with values.', {
  ...{ project_id: ProjectId, template_id: TemplateId, values: ValuesMember, at_s: Moment, format: Format },
});
export type StillRequest = t.TypeOf<typeof Still>;

/** Body of POST /stills. Left: one line that names each invalid field and its fault. */
export const decodeStillRequest = (body: unknown): E.Either<InputFault, StillRequest> => decodeTemplated(Still, body);

/** The facts about a still, sent as JSON in the header `X-Still`. */
export const StillFacts = t.strict({
  /** Frame number from 0, and its time in seconds. */
  frame: t.number,
  at_s: t.number,
  width: t.number,
  height: t.number,
  /** Keys of values that the template lacks, each with a suggestion. */
  left_out: t.readonlyArray(t.string),
});
export type StillFacts = t.TypeOf<typeof StillFacts>;

export const STILL_HEADER = 'X-Still';

/** The maximum length of `left_out` in the header: clients accept 16 KiB for all headers together. */
const MAX_LEFT_OUT_CHARACTERS = 4_096;

/** Headers are ASCII, so other characters become JSON escapes. */
const escaped = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The first keys and the number of the others: clients may send any number of keys of any length. */
const shortened = (left_out: readonly string[]): readonly string[] => {
  let size = 0;
  const shown = left_out.filter((text) => {
    size += escaped(text).length;
    return size <= MAX_LEFT_OUT_CHARACTERS;
  });
  const more = left_out.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more values: the template does not have these fields`];
};

export const stillHeader = (facts: StillFacts): string => escaped({ ...facts, left_out: shortened(facts.left_out) });

/** `missing` with 404, `no_version` and `refused` with 400, `asset_lost` with 409, `engine_failed` with 503. */
export const StillFault = t.union([
  t.strict({ tag: t.literal('missing'), kind: t.literal('project'), id: t.string }),
  t.strict({ tag: t.literal('no_version'), project_id: t.string, needed_for: t.literal('assets') }),
  t.strict({ tag: t.literal('refused'), reason: t.string, message: t.string }),
  t.strict({ tag: t.literal('asset_lost'), asset_id: t.string }),
  t.strict({ tag: t.literal('engine_failed'), message: t.string }),
]);
export type StillFault = t.TypeOf<typeof StillFault>;

/** For renderctl, which names no part of a request. */
export const lostAssetText = (asset_id: string): string =>
  `the file of the asset "${asset_id}" is missing or damaged; add a version of the project with a new copy of it`;
