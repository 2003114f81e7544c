import type { Fault } from './fault.ts';
import type { LenientField, LenientLayer, LenientProject } from './lenient-decode.ts';

/*
 * What a layer's part of its source demands of the source itself. How long that is, its file alone knows.
 */

/** Where videos and sounds end, in seconds after their start, by asset id: of a video, its picture. */
export type SourceEnds = ReadonlyMap<string, number>;

/** A number for messages: milliseconds are enough. */
export const secondsText = (time_s: number): string => `${Number(time_s.toFixed(3))} s`;

type Driven = { readonly field: LenientField; readonly path: string };

/** The field that drives a property of the layer, as it is rendered by that template. */
const drivenBy =
  (fields: readonly LenientField[], path: string, { id }: LenientLayer) =>
  (property: string): Driven | null => {
    const index = fields.findIndex(({ target }) => target?.layer === id && target?.property === property);
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
  // A hidden layer reads nothing of its source.
  if (end_s === undefined || trim_start === undefined || !(trim_start >= end_s) || !is_visible) return [];
  const ends_at = secondsText(end_s);
  // Of a template that brings the asset alone, it is the asset that does not fit.
  return trim === null && asset !== null
    ? [{ path: asset.path, message: `ends at ${ends_at}, before the layer's trim_start (${secondsText(trim_start)})` }]
    : [{ path: trim?.path ?? `${at}.trim_start`, message: `must be before the end of "${id}" (${ends_at})` }];
};

/**
 * Layers whose part begins at or after the end of their source: nothing of it would be seen or heard. Compositions are
 * looked at as they are rendered: the main one as it stands, and each as its templates' defaults make it.
 *
 * @param ends of the assets whose files are known; others are not judged
 */
export const trimFaults = (project: LenientProject, ends: SourceEnds): readonly Fault[] => {
  const { compositions = [], templates = [], main_composition_id } = project;
  const faults = compositions.flatMap(({ id, layers = [] }, c) => {
    const own = templates.flatMap((template, t) =>
      id !== undefined && template.target_composition_id === id ? [{ template, path: `templates[${t}]` }] : [],
    );
    return layers.flatMap((layer, l) => {
      const at = `compositions[${c}].layers[${l}]`;
      const as_it_stands = id === main_composition_id ? trimFault(layer, at, ends, NOTHING_DRIVEN) : [];
      const by_templates = own.flatMap(({ template: { fields = [] }, path }) =>
        trimFault(layer, at, ends, drivenBy(fields, path, layer)),
      );
      return [...as_it_stands, ...by_templates];
    });
  });
  // A layer that no field drives is the same by every template.
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
};
