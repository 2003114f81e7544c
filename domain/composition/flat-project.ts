import type { Fault } from './fault.ts';
import {
  type FlatLayer,
  type Frame,
  flatLayersOf,
  hasGroups,
  placeInGroups,
  type TimedFlatLayer,
} from './flat-layers.ts';
import { type TimedLayer, timedInProject } from './layer-times.ts';
import { FLAT_CODECS } from './layers.ts';
import type { LenientComposition, LenientLayer, LenientProject } from './lenient-decode.ts';
import { LIMITS } from './limits.ts';
import type { Composition, ProjectFile } from './project-shape.ts';

const flatComposition = (composition: Composition): LenientComposition => {
  const flat = flatLayersOf(composition.layers);
  const layers = flat.map(({ layer }) => layer);
  if (!hasGroups(flat)) return { ...composition, layers };
  return { ...composition, layers, parents: flat.map((one) => one.parents), paths: flat.map(({ path }) => path) };
};

/** The project with flat lists of layers, which the checks read. */
export const flatProject = (project: ProjectFile): LenientProject => ({
  ...project,
  compositions: project.compositions.map(flatComposition),
});

const isInGroup = ({ parents }: LenientComposition, index: number): boolean => (parents?.[index] ?? []).length > 0;

/** The composition as the times of its layers read it: layers in groups have no times that others depend on. */
export const withoutGrouped = (composition: LenientComposition): LenientComposition =>
  composition.parents === undefined
    ? composition
    : {
        ...composition,
        layers: composition.layers?.map((layer, index) =>
          isInGroup(composition, index) ? { visible: false, start: 0 } : layer,
        ),
      };

const isFlat = (layer: LenientLayer): layer is FlatLayer =>
  layer.type !== undefined && FLAT_CODECS[layer.type].is({ ...layer, start: 0 });

/** The members of a layer in a group that do not depend on the group, whose own members may be invalid. */
const withoutPlace = ({ start: _s, x: _x, y: _y, width: _w, height: _h, ...layer }: LenientLayer): TimedLayer => layer;

/** The starts of a flat list: a layer in a group has its written one, the others those that their times gave. */
export const flatStarts = (
  layers: readonly FlatLayer[],
  resolved: readonly TimedLayer[] | undefined,
  parents: readonly (readonly number[])[],
): readonly (number | undefined)[] =>
  layers.map(({ start }, index) =>
    (parents[index] ?? []).length > 0 && typeof start === 'number' ? start : resolved?.[index]?.start,
  );

/**
 * Places the layers of a composition whose times are resolved. A start is undefined if it depends on an unknown length,
 * and then the starts of the group's layers are too.
 */
export const placeTimed = (
  layers: readonly FlatLayer[],
  starts: readonly (number | undefined)[],
  parents: readonly (readonly number[])[],
  frame: Frame,
): readonly TimedLayer[] => {
  const timed = layers.map((layer, index): TimedFlatLayer => ({ ...layer, start: starts[index] ?? 0 }));
  return placeInGroups(timed, parents, frame).map((layer, index): TimedLayer => {
    const unknown = [index, ...(parents[index] ?? [])].some((one) => starts[one] === undefined);
    const { start: _, ...others } = layer;
    return unknown ? others : layer;
  });
};

/** The composition with times and places that do not depend on groups. */
export const timedAndPlaced = (
  composition: LenientComposition,
  project: Parameters<typeof timedInProject>[1],
): ReturnType<typeof timedInProject> => {
  const found = timedInProject(withoutGrouped(composition), project);
  const { layers = [], parents, width, height } = composition;
  if (parents === undefined) return found;
  const placed =
    layers.every(isFlat) && width !== undefined && height !== undefined
      ? placeTimed(layers, flatStarts(layers, found.composition.layers, parents), parents, { width, height })
      : layers.map((layer, index) =>
          isInGroup(composition, index) ? withoutPlace(layer) : (found.composition.layers?.[index] ?? {}),
        );
  return { ...found, composition: { ...found.composition, layers: placed } };
};

const LAYER_PATH = /^compositions\[(\d+)\]\.layers\[(\d+)\]/;

/** The faults, whose paths name layers of flat lists, with paths of the document. */
export const faultsInDocument = (faults: readonly Fault[], { compositions = [] }: LenientProject): readonly Fault[] =>
  compositions.every(({ paths }) => paths === undefined)
    ? faults
    : faults.map((fault) => {
        const [found = '', c, l] = LAYER_PATH.exec(fault.path) ?? [];
        const path = compositions[Number(c)]?.paths?.[Number(l)];
        return path === undefined
          ? fault
          : { ...fault, path: `compositions[${c}].${path}${fault.path.slice(found.length)}` };
      });

/** Faults of compositions with too many layers, which no other check reads. */
export const layerCountFaults = ({ compositions = [] }: LenientProject): readonly Fault[] =>
  compositions.flatMap(({ layers = [] }, index) =>
    layers.length <= LIMITS.layers
      ? []
      : [
          {
            path: `compositions[${index}].layers`,
            message: `must have at most ${LIMITS.layers} entries, with the groups and their layers; has ${layers.length}`,
          },
        ],
  );

/** The findings of a check that reads flat lists of layers, with paths of the document. */
export const checkFlat = (
  project: ProjectFile,
  check: (flat: LenientProject) => readonly Fault[],
): readonly Fault[] => {
  const flat = flatProject(project);
  return faultsInDocument(check(flat), flat);
};
