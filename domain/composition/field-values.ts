import * as E from 'fp-ts/lib/Either.js';
import { type Fault, faultsOf } from './fault.ts';
import { Color, Layer, type LayerType } from './layers.ts';
import { LIMITS } from './limits.ts';
import type { AssetSketch } from './sketch.ts';
import type { FieldKind, TemplateField } from './templates.ts';
import { textFault } from './text-rules.ts';

type Drivable = { readonly [property: string]: FieldKind };

const TIMED: Drivable = { visible: 'toggle', start: 'number', duration: 'number' };
const FADED: Drivable = { fade_in: 'number', fade_out: 'number' };
const PLACED: Drivable = {
  ...TIMED,
  ...FADED,
  x: 'number',
  y: 'number',
  width: 'number',
  height: 'number',
  opacity: 'number',
};
const HEARD: Drivable = { trim_start: 'number', volume: 'number', loop: 'toggle' };

/** Which properties a template's field may drive, and what kind of field it takes. */
const DRIVABLE: { readonly [T in LayerType]: Drivable } = {
  video: { ...PLACED, ...HEARD, fit: 'text', asset: 'video' },
  image: { ...PLACED, fit: 'text', asset: 'image' },
  text: {
    ...PLACED,
    text: 'text',
    font_family: 'text',
    font_size: 'number',
    font_weight: 'number',
    color: 'color',
    align: 'text',
    vertical_align: 'text',
    line_height: 'number',
    shrink_to_fit: 'toggle',
  },
  shape: { ...PLACED, shape: 'text', color: 'color', radius: 'number' },
  audio: { ...TIMED, ...FADED, ...HEARD, asset: 'audio' },
};

/** The kind that drives this property; null where no field can. */
export const kindOfProperty = (type: LayerType, property: string): FieldKind | null =>
  Object.hasOwn(DRIVABLE[type], property) ? (DRIVABLE[type][property] ?? null) : null;

type Parsed = E.Either<string, string | number | boolean>;

/** A field's value, always written as a string, as the property takes it; or what is wrong with it. */
export const parseFieldValue = (kind: FieldKind, value: string, assets: readonly AssetSketch[]): Parsed => {
  switch (kind) {
    case 'text': {
      const fault = textFault(value, LIMITS.text);
      return fault === null ? E.right(value) : E.left(fault);
    }
    case 'number':
      return /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(value) && Number.isFinite(Number(value))
        ? E.right(Number(value))
        : E.left('must be a number');
    case 'color':
      return Color.is(value) ? E.right(value) : E.left('must be a colour like #E30613');
    case 'toggle':
      return value === 'true' || value === 'false' ? E.right(value === 'true') : E.left('must be true or false');
    case 'image':
    case 'video':
    case 'audio': {
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value))
        return E.left('remote media is not supported yet: give the id of an asset');
      const asset = assets.find(({ id }) => id === value);
      if (asset === undefined) return E.left(`must be the id of an asset of the project that is of kind ${kind}`);
      return asset.kind === undefined || asset.kind === kind
        ? E.right(value)
        : E.left(`must be an asset of kind ${kind}; this one is of kind ${asset.kind}`);
    }
  }
};

/**
 * The layer with the field's value in place, decoded again so that the property's own bounds hold. Faults have the
 * property as their path, or an empty one.
 */
export const driveLayer = (
  layer: Layer,
  field: TemplateField,
  value: string,
  assets: readonly AssetSketch[],
): E.Either<readonly Fault[], Layer> => {
  const { property } = field.target;
  const parsed = parseFieldValue(field.kind, value, assets);
  if (E.isLeft(parsed)) return E.left([{ path: '', message: parsed.left }]);
  const decoded = Layer.decode({ ...layer, [property]: parsed.right });
  return E.isRight(decoded) ? E.right(decoded.right) : E.left(faultsOf(decoded.left));
};
