import { distinctFaults, type Fault } from './fault.ts';
import { type LenientField, type LenientLayer, type LenientProject, lenientTargets } from './lenient-decode.ts';

/* The rules between a layer's trimmed part and the length of its source, which is known only from the media file. */

/**
 * The ends of videos and sounds by asset id, in seconds after their start. The end of a video is the end of its
 * picture.
 */
export type SourceEnds = ReadonlyMap<string, number>;

export const secondsText = (time_s: number): string => `${Number(time_s.toFixed(3))} s`;

type Driven = { readonly field: LenientField; readonly path: string };

const drivenBy =
  (fields: readonly LenientField[], path: string, { id }: LenientLayer) =>
  (property: string): Driven | null => {
    const index = fields.findIndex((field) =>
      lenientTargets(field).some(({ target }) => target.layer === id && target.property === property),
    );
    const field = fields[index];
    return field === undefined || id === undefined ? null : { field, path: `${path}.fields[${index}].default_value` };
  };

const NOTHING_DRIVEN = (): null => null;

const trimFault = (
  layer: LenientLayer,
  at: string,
  ends: SourceEnds,
  driven: (property: string) => Driven | null,
): readonly Fault[] => {
  const [asset, trim, visible] = [driven('asset'), driven('trim_start'), driven('visible')];
  const id = asset?.field.default_value ?? layer.asset;
  const trim_start = trim === null ? layer.trim_start : Number(trim.field.default_value);
  const is_visible = visible === null ? layer.visible !== false : visible.field.default_value === 'true';
  const end_s = id === undefined ? undefined : ends.get(id);
  // A hidden layer does not read its source.
  if (end_s === undefined || trim_start === undefined || !(trim_start >= end_s) || !is_visible) return [];
  const ends_at = secondsText(end_s);
  // The fault is at the asset if the template sets only the asset, otherwise at `trim_start`.
  return trim === null && asset !== null
    ? [{ path: asset.path, message: `ends at ${ends_at}, before the layer's trim_start (${secondsText(trim_start)})` }]
    : [{ path: trim?.path ?? `${at}.trim_start`, message: `must be before the end of "${id}" (${ends_at})` }];
};

/**
 * Faults for layers of flat lists whose trimmed part begins at or after the end of their source, so that the part is empty. The main
 * composition is checked as written, and every composition with the defaults of its templates.
 *
 * @param ends without assets whose files are unknown; the check skips these
 */
export const trimFaults = (project: LenientProject, ends: SourceEnds): readonly Fault[] => {
  const { compositions = [], templates = [], main_composition_id } = project;
  const faults = compositions.flatMap(({ id, layers = [], parents = [] }, c) => {
    const own = templates.flatMap((template, t) =>
      id !== undefined && template.target_composition_id === id ? [{ template, path: `templates[${t}]` }] : [],
    );
    return layers.flatMap((layer, l) => {
      // The layers of a hidden group are hidden too.
      if (parents[l]?.some((parent) => layers[parent]?.visible === false) === true) return [];
      const at = `compositions[${c}].layers[${l}]`;
      const as_it_stands = id === main_composition_id ? trimFault(layer, at, ends, NOTHING_DRIVEN) : [];
      const by_templates = own.flatMap(({ template: { fields = [] }, path }) =>
        trimFault(layer, at, ends, drivenBy(fields, path, layer)),
      );
      return [...as_it_stands, ...by_templates];
    });
  });
  return distinctFaults(faults);
};
