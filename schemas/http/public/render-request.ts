import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import type { Values as RenderValues } from '../../../domain/composition/values.ts';
import { Shape } from '../../../domain/shape/shape.ts';
import { countCodePoints, NAME_PATTERN, nameFault } from '../../../domain/shape/text-rules.ts';
import type { InputFault } from '../error-codes.ts';
import { decodeShape, isObject, namedShape, Optional, resource } from '../shapes.ts';

/** Messages show at most this many characters of a key in `values`, because clients choose the keys. */
const SHOWN_KEY = 64;

type Rule = { readonly rule: string; readonly holds: (value: string) => boolean };

/** @param otherFault a further fault of a text that satisfies the rule */
const ruled = (
  { rule, holds }: Rule,
  keywords: { readonly [keyword: string]: string | number },
  otherFault: (value: string) => string | null = () => null,
) =>
  new Shape<string>(
    'a string',
    (u): u is string => typeof u === 'string' && holds(u) && otherFault(u) === null,
    (u, context) => {
      if (u === undefined) return t.failure(u, context, `is required, ${rule}`);
      if (typeof u !== 'string') return t.failure(u, context, 'must be a string');
      if (!u.isWellFormed()) return t.failure(u, context, 'must not contain a lone surrogate');
      const fault = holds(u) ? otherFault(u) : `must be ${rule}`;
      return fault === null ? t.success(u) : t.failure(u, context, fault);
    },
    { type: 'string', ...keywords },
  );

export const Name = ruled(
  {
    rule: `1 to ${LIMITS.name} characters`,
    // The comparison of `length` avoids counting the code points of very long texts.
    holds: (value) => value !== '' && value.length <= 2 * LIMITS.name && countCodePoints(value) <= LIMITS.name,
  },
  {
    ...{ minLength: 1, maxLength: LIMITS.name, pattern: NAME_PATTERN },
    description:
      'Its name, with a length in code points: one line, without control characters and without those that turn the direction of text (U+202A to U+202E, U+2066 to U+2069). Marks of direction (U+200E, U+200F, U+061C) and joiners are allowed. Older renders keep names from before this rule.',
  },
  nameFault,
);

const idMember = (description: string) =>
  ruled({ rule: 'at least 1 character', holds: (value) => value !== '' }, { minLength: 1, description });

export const ProjectId = idMember('A project that the key reaches. It is rendered as it is now.');

const Id = idMember('');

export const TemplateId = new Optional<string | null>(
  'a string or null',
  (u): u is string | null => u === null || Id.is(u),
  (u, context) => (u === null || u === undefined ? t.success(null) : Id.validate(u, context)),
  {
    ...{ type: ['string', 'null'], minLength: 1 },
    description: 'A template that the project defines. Without one the project is rendered as it is.',
  },
);

type Entry = { readonly fault: string } | { readonly text: string | null };

/** Numbers and booleans become strings. Null means absent. */
const entryOf = (value: unknown): Entry => {
  if (value === null) return { text: null };
  if (typeof value === 'number' || typeof value === 'boolean') return { text: String(value) };
  if (typeof value !== 'string') return { fault: 'must be a string, a number or a boolean' };
  return value.length > LIMITS.text && countCodePoints(value) > LIMITS.text
    ? { fault: `must have at most ${LIMITS.text} characters` }
    : { text: value };
};

const shownKey = (key: string): string => (key.length > SHOWN_KEY ? `${key.slice(0, SHOWN_KEY).toWellFormed()}…` : key);

const isValues = (u: unknown): u is RenderValues =>
  isObject(u) && Object.values(u).every((value) => typeof value === 'string');

const validateValues: t.Validate<unknown, RenderValues> = (u, context) => {
  if (u === undefined || u === null) return t.success({});
  if (!isObject(u)) return t.failure(u, context, 'must be an object');
  const entries = Object.entries(u);
  if (entries.length > LIMITS.values) return t.failure(u, context, `must have at most ${LIMITS.values} entries`);
  const faults: t.Errors = [];
  const texts: [string, string][] = [];
  let bytes = 0;
  for (const [key, value] of entries) {
    const entry = entryOf(value);
    if ('fault' in entry) {
      const at = t.appendContext(context, shownKey(key), t.string, value);
      faults.push({ value, context: at, message: entry.fault });
    } else if (entry.text !== null) {
      bytes += Buffer.byteLength(key) + Buffer.byteLength(entry.text);
      texts.push([key, entry.text]);
    }
  }
  if (faults.length > 0) return t.failures(faults);
  if (bytes > LIMITS.values_bytes)
    return t.failure(u, context, `must be at most ${LIMITS.values_bytes / 1024} KiB in total`);
  return t.success(Object.fromEntries(texts));
};

export const Values = namedShape(
  'Values',
  new Shape<RenderValues>('an object', isValues, validateValues, {
    ...{ type: 'object', maxProperties: LIMITS.values },
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: LIMITS.text },
    description: `By key of a template field. The \`kind\` of a field says what its value may be:

- \`text\`: any text. CR LF and CR are newlines.
- \`number\`: a number, such as \`19.9\` or \`"19.9"\`, within the bounds of the property that the field drives.
- \`color\`: \`#\` and six hex digits, such as \`"#E30613"\`.
- \`toggle\`: \`true\` or \`false\`.
- \`image\`, \`video\` and \`audio\`: the ID of an asset of the project, of that kind, an \`https://\` URL of a public file, or the ID of a ready upload of the team. The service copies the file for this render. Its bytes determine its format: a picture is PNG, JPEG, WebP, AVIF, GIF, SVG or TIFF, at most 50 MiB; a sound at most 256 MiB; a video at most 512 MiB. \`data:\` URLs do not work.

A number or a boolean counts as its text. null counts as left out, and then the field takes its \`default_value\`. Keys that the template lacks are ignored, and named in the header \`Ignored-Values\` of the answer. At most ${LIMITS.values} entries of ${LIMITS.text} characters, ${LIMITS.values_bytes / 1024} KiB together. Only with a \`template_id\`.`,
  }),
);

export const ValuesMember = new Optional<RenderValues>('an object', isValues, validateValues, {
  ...{ anyOf: [Values.schema, { type: 'null' }] },
  description: 'Values for the fields of the template; null counts as left out.',
});

export const Draft = new Optional<boolean>(
  'true or false',
  t.boolean.is,
  (u, context) => {
    if (u === undefined || u === null) return t.success(false);
    return typeof u === 'boolean' ? t.success(u) : t.failure(u, context, 'must be true or false');
  },
  {
    type: ['boolean', 'null'],
    description:
      'A small video for a first look, which is ready sooner and costs less. It has about as many pixels as 640 x 360, is H.264, and has no variants and no preview. Its price follows from its size. Lines of text may break at other words. null counts as left out.',
  },
);

export const RenderRequest = resource(
  'RenderRequest',
  'A render to create. Unknown members are ignored, and named in the header `Ignored-Members`.',
  {
    name: Name,
    project_id: ProjectId,
    template_id: TemplateId,
    values: ValuesMember,
    draft: Draft,
  },
);
export type RenderRequest = t.TypeOf<typeof RenderRequest>;

const NO_TEMPLATE: InputFault = {
  ...{ code: 'invalid_field', param: 'values' },
  message: 'values: requires a template_id, because only templates have fields',
};

const NO_OBJECT: InputFault = { code: 'invalid_request', message: 'the body must be a JSON object' };

/** @param body parsed JSON; unknown members are ignored, so that later versions can add some */
export const decodeTemplated = <A extends Pick<RenderRequest, 'template_id' | 'values'>>(
  shape: Shape<A>,
  body: unknown,
): E.Either<InputFault, A> => {
  if (!isObject(body)) return E.left(NO_OBJECT);
  return E.filterOrElse(
    ({ template_id, values }: A) => template_id !== null || Object.keys(values).length === 0,
    () => NO_TEMPLATE,
  )(decodeShape(shape, body));
};

export const decodeRenderRequest = (body: unknown): E.Either<InputFault, RenderRequest> =>
  decodeTemplated(RenderRequest, body);
