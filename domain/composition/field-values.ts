import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { didYouMean } from '../near-name.ts';
import { normalizeNewlines, textFault } from '../shape/text-rules.ts';
import { type Fault, faultsOf } from './fault.ts';
import type { FlatLayer } from './flat-layers.ts';
import { parseIsoDate } from './iso-date.ts';
import { keyframeMember, withKeyframeMember } from './keyframes.ts';
import { FLAT_CODECS } from './layers.ts';
import type { LenientAsset } from './lenient-decode.ts';
import { LIMITS } from './limits.ts';
import { Color } from './names.ts';
import { Composition } from './project-shape.ts';
import { type FieldKind, type TemplateField, targetsOf } from './templates.ts';

/** Linear time: no two parts of the expression match the same character. */
const NUMBER = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i;

export const isNumberText = (value: string): boolean =>
  value.length <= LIMITS.text && NUMBER.test(value) && Number.isFinite(Number(value));

/** The value that a render gives to a field; undefined without one, also for `constructor`. */
export const givenValue = (values: { readonly [key: string]: string }, key: string): string | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

export const NO_DATE = 'must be a date like 2026-11-30';

type Parsed = E.Either<string, string | number | boolean>;

const idsOf = (wanted: FieldKind, assets: readonly LenientAsset[]): readonly string[] =>
  assets.flatMap(({ id, kind = wanted }) => (id === undefined || kind !== wanted ? [] : [id]));

export const parseFieldValue = (kind: FieldKind, value: string, assets: readonly LenientAsset[]): Parsed => {
  switch (kind) {
    case 'text': {
      const text = normalizeNewlines(value);
      const fault = textFault(text, LIMITS.text);
      return fault === null ? E.right(text) : E.left(fault);
    }
    case 'number':
      return isNumberText(value) ? E.right(Number(value)) : E.left('must be a number');
    case 'color':
      return Color.is(value) ? E.right(value) : E.left('must be a colour like #E30613');
    case 'date':
      return value.length <= LIMITS.choice && parseIsoDate(value) !== null ? E.right(value.trim()) : E.left(NO_DATE);
    case 'toggle':
      return value === 'true' || value === 'false' ? E.right(value === 'true') : E.left('must be true or false');
    case 'image':
    case 'video':
    case 'audio': {
      const asset = assets.find(({ id }) => id === value);
      if (asset === undefined) {
        const near = didYouMean(value, idsOf(kind, assets));
        return E.left(`must be the id of an asset of the project that is of kind ${kind}${near}`);
      }
      return asset.kind === undefined || asset.kind === kind
        ? E.right(value)
        : E.left(`must be an asset of kind ${kind}; this one is of kind ${asset.kind}`);
    }
  }
};

/**
 * `transition.duration` sets a member of `transition`. If the layer has no transition, its other members stay missing,
 * which is a fault.
 */
const memberOf = (layer: FlatLayer, property: string, value: string | number | boolean): readonly [string, unknown] => {
  const of_keyframe = keyframeMember(property);
  if (of_keyframe !== null && 'keyframes' in layer)
    return ['keyframes', withKeyframeMember(layer.keyframes, of_keyframe, value)];
  const [name = '', inner] = property.split('.');
  if (inner === undefined) return [name, value];
  return [name, { ...('transition' in layer ? layer.transition : null), [inner]: value }];
};

const codecOf = ({ type }: FlatLayer, member: string): t.Mixed | undefined => {
  const members: Readonly<Record<string, t.Mixed>> = FLAT_CODECS[type].members;
  return Object.hasOwn(members, member) ? members[member] : undefined;
};

/** Colours and numbers can be written in several ways. */
export const equalsValue = (kind: FieldKind, choice: string, value: string): boolean => {
  if (kind === 'color') return choice.toLowerCase() === value.toLowerCase();
  return kind === 'number' ? Number(choice) === Number(value) : choice === normalizeNewlines(value);
};

/** Why the field does not allow the value; null if it does. A value of the wrong kind is the fault of its property. */
export const fieldLimitFault = (
  { kind, min, max, max_length, choices }: Pick<TemplateField, 'kind' | 'min' | 'max' | 'max_length' | 'choices'>,
  value: string,
): string | null => {
  if (choices !== undefined && !choices.some((choice) => equalsValue(kind, choice, value)))
    return `must be one of ${choices.map((choice) => `"${choice}"`).join(', ')}`;
  if (kind === 'number') {
    if (min !== undefined && Number(value) < min) return `must be >= ${min}`;
    if (max !== undefined && Number(value) > max) return `must be <= ${max}`;
  }
  return kind === 'text' && max_length !== undefined && normalizeNewlines(value).length > max_length
    ? `must have at most ${max_length} characters`
    : null;
};

/**
 * The layer with a field's value. Only the property's codec runs: the rest of the layer is valid and may be large.
 */
export const applyFieldValue = (
  layer: FlatLayer,
  { kind, property }: { readonly kind: FieldKind; readonly property: string },
  value: string,
  assets: readonly LenientAsset[],
): E.Either<readonly Fault[], FlatLayer> => {
  const parsed = parseFieldValue(kind, value, assets);
  if (E.isLeft(parsed)) return E.left([{ path: '', message: parsed.left }]);
  const [member, given] = memberOf(layer, property, parsed.right);
  const codec = codecOf(layer, member);
  if (codec === undefined) return E.left([{ path: property, message: 'is not a known property' }]);
  const decoded = codec.decode(given);
  return E.isRight(decoded) ? E.right({ ...layer, [member]: decoded.right }) : E.left(faultsOf(decoded.left));
};

/** The composition with a field's value. */
export const applyCompositionValue = <C extends Pick<Composition, 'duration' | 'background'>>(
  composition: C,
  { kind, property }: { readonly kind: FieldKind; readonly property: string },
  value: string,
): E.Either<readonly Fault[], C> => {
  const parsed = parseFieldValue(kind, value, []);
  if (E.isLeft(parsed)) return E.left([{ path: '', message: parsed.left }]);
  const set = <A>(codec: t.Type<A, A, unknown>, of: (decoded: A) => C): E.Either<readonly Fault[], C> =>
    E.bimap(faultsOf, of)(codec.decode(parsed.right));
  switch (property) {
    case 'duration':
      return set(Composition.members.duration, (duration) => ({ ...composition, duration }));
    case 'background':
      return set(Composition.members.background, (background) => ({ ...composition, background }));
    default:
      return E.left([{ path: property, message: 'is not a known property' }]);
  }
};

/**
 * The key of the value that caused a fault at a path like `layers[2].trim_end`: the value of that property, or the
 * layer's only given value. A start after the end of the composition is the fault of its length.
 */
export const fieldCausingFault = (
  path: string,
  fields: readonly TemplateField[],
  layers: readonly Pick<FlatLayer, 'id'>[],
  values: { readonly [key: string]: string },
): string | null => {
  const [, index, property = ''] = /^layers\[(\d+)\]\.(.+)$/.exec(path) ?? [];
  const id = index === undefined ? undefined : layers[Number(index)]?.id;
  const drives = (field: TemplateField, wanted: string | null): boolean =>
    targetsOf(field).some((target) => target.layer === id && (wanted === null || target.property === wanted));
  const given = fields.filter((field) => drives(field, null) && Object.hasOwn(values, field.key));
  const found = given.find((field) => drives(field, property)) ?? (given.length === 1 ? given[0] : undefined);
  if (found !== undefined) return found.key;
  const drivesLength = (field: TemplateField): boolean =>
    targetsOf(field).some((target) => target.layer === undefined && target.property === 'duration');
  return property === 'start'
    ? (fields.find((field) => drivesLength(field) && Object.hasOwn(values, field.key))?.key ?? null)
    : null;
};
