import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { LIMITS } from '../../domain/composition/limits.ts';
import type { Values } from '../../domain/composition/values.ts';
import { orNull, Shape } from '../../domain/shape/shape.ts';
import { codePoints, nameFault } from '../../domain/shape/text-rules.ts';

/** The body of POST /v1/renders, as the service takes it. */
export type RenderRequest = {
  readonly name: string;
  readonly project_id: string;
  readonly template_id: string | null;
  readonly values: Values;
  /** A small one, for less. */
  readonly draft: boolean;
};

/** More faults than this are counted, not listed. */
const MOST_FAULTS = 10;
/** A key of `values` is the client's own text: longer ones are cut in messages. */
const SHOWN_KEY = 64;

const ruled = (
  name: string,
  rule: string,
  holds: (value: string) => boolean,
  otherFault: (value: string) => string | null = () => null,
) =>
  new Shape<string>(
    name,
    (u): u is string => typeof u === 'string' && holds(u) && otherFault(u) === null,
    (u, context) => {
      if (u === undefined) return t.failure(u, context, `is required, ${rule}`);
      if (typeof u !== 'string') return t.failure(u, context, 'must be a string');
      if (!u.isWellFormed()) return t.failure(u, context, 'must not hold half of a surrogate pair');
      const fault = holds(u) ? otherFault(u) : `must be ${rule}`;
      return fault === null ? t.success(u) : t.failure(u, context, fault);
    },
    { type: 'string' },
  );

const Name = ruled(
  'a string',
  `1 to ${LIMITS.name} characters`,
  // The second comparison avoids counting code points of a text that is too long in any case.
  (value) => value !== '' && value.length <= 2 * LIMITS.name && codePoints(value) <= LIMITS.name,
  nameFault,
);
export const Id = ruled('a string', 'at least 1 character', (value) => value !== '');

type Entry = { readonly fault: string } | { readonly text: string | null };

/** One entry of `values`: numbers and booleans are converted to strings, null means left out. */
const entryOf = (value: unknown): Entry => {
  if (value === null) return { text: null };
  if (typeof value === 'number' || typeof value === 'boolean') return { text: String(value) };
  if (typeof value !== 'string') return { fault: 'must be a string, a number or a boolean' };
  return value.length > LIMITS.text && codePoints(value) > LIMITS.text
    ? { fault: `must have at most ${LIMITS.text} characters` }
    : { text: value };
};

const shownKey = (key: string): string => (key.length > SHOWN_KEY ? `${key.slice(0, SHOWN_KEY).toWellFormed()}…` : key);

const isObject = (u: unknown): u is Record<string, unknown> => typeof u === 'object' && u !== null && !Array.isArray(u);

const isValues = (u: unknown): u is Values =>
  isObject(u) && Object.values(u).every((value) => typeof value === 'string');

export const RequestValues = new t.Type<Values, Values, unknown>(
  'an object',
  isValues,
  (u, context) => {
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
      return t.failure(u, context, `must be at most ${LIMITS.values_bytes / 1024} KiB together`);
    return t.success(Object.fromEntries(texts));
  },
  t.identity,
);

const Draft = new Shape<boolean>(
  'true or false',
  t.boolean.is,
  (u, context) => {
    if (u === undefined || u === null) return t.success(false);
    return typeof u === 'boolean' ? t.success(u) : t.failure(u, context, 'must be true or false');
  },
  { type: 'boolean' },
);

const Body = t.type(
  { name: Name, project_id: Id, template_id: orNull(Id), values: RequestValues, draft: Draft },
  'a JSON object',
);

const NO_TEMPLATE = 'values: must be left out without a template_id, as only a template has fields';

/** `values.price: must be a string`: keys of `values` are names, even where they look like numbers. */
const faultText = ({ context, message }: t.ValidationError): string =>
  `${context.flatMap(({ key }) => (key === '' ? [] : [key])).join('.')}: ${message ?? 'is not valid'}`;

/** What a render and a still are of. */
type Templated = Pick<RenderRequest, 'template_id' | 'values'>;

/**
 * @param body parsed JSON; unknown members are ignored, so that later ones can be added
 * @returns what the codec reads, or one line that names every field at fault and its fault
 */
export const decodeBody = <A extends Templated>(codec: t.Decoder<unknown, A>, body: unknown): E.Either<string, A> => {
  if (!isObject(body)) return E.left('the body must be a JSON object');
  const decoded = codec.decode(body);
  if (E.isRight(decoded)) {
    const { template_id, values } = decoded.right;
    return template_id === null && Object.keys(values).length > 0 ? E.left(NO_TEMPLATE) : E.right(decoded.right);
  }
  const faults = decoded.left.map(faultText);
  const rest = faults.length - MOST_FAULTS;
  return E.left([...faults.slice(0, MOST_FAULTS), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; '));
};

/** The body of POST /v1/renders; the fault as of `decodeBody`. */
export const decodeRenderRequest = (body: unknown): E.Either<string, RenderRequest> => {
  const decoded = decodeBody(Body, body);
  if (E.isLeft(decoded)) return decoded;
  const { name, project_id, template_id, values, draft } = decoded.right;
  return E.right({ name, project_id, template_id, values, draft });
};
