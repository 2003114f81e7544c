import * as E from 'fp-ts/lib/Either.js';
import type { AssetEntry } from './assets.ts';
import { type Bounded, boxOf, framesShown } from './extents.ts';
import type { Fault } from './fault.ts';
import { driveLayer, kindOfProperty } from './field-values.ts';
import { LIMITS } from './limits.ts';
import type { Composition, ProjectFile } from './project-shape.ts';
import type { Template } from './templates.ts';

const duplicates = (path: string, member: string, values: readonly string[]): readonly Fault[] =>
  values.flatMap((value, index) =>
    values.indexOf(value) === index
      ? []
      : [{ path: `${path}[${index}].${member}`, message: `"${value}" is used twice` }],
  );

const livePixels = (composition: Bounded): number => {
  const changes = composition.layers.flatMap((layer) => {
    if (layer.type === 'audio' || !layer.visible) return [];
    const { from, until } = framesShown(layer, composition);
    const box = boxOf(layer, composition);
    const pixels = Math.min(box.width, composition.width) * Math.min(box.height, composition.height);
    return until <= from
      ? []
      : [
          { frame: from, pixels },
          { frame: until, pixels: -pixels },
        ];
  });
  const inOrder = changes.toSorted((a, b) => a.frame - b.frame || a.pixels - b.pixels);
  return inOrder.reduce(({ now, most }, { pixels }) => ({ now: now + pixels, most: Math.max(most, now + pixels) }), {
    now: 0,
    most: 0,
  }).most;
};

/** What a composition's numbers do not allow together. Also holds for the copy that has a render's values in place. */
export const boundFaults = (composition: Bounded, path: string): readonly Fault[] => [
  ...(['width', 'height'] as const).flatMap((name) =>
    composition[name] % 2 === 0 ? [] : [{ path: `${path}${name}`, message: `must be even, is ${composition[name]}` }],
  ),
  ...composition.layers.flatMap((layer, index): readonly Fault[] => {
    const at = `${path}layers[${index}]`;
    const faults: Fault[] = [];
    if (layer.start >= composition.duration)
      faults.push({
        path: `${at}.start`,
        message: `must be before the end of the composition (${composition.duration} s)`,
      });
    if (layer.type === 'audio') return faults;
    const box = boxOf(layer, composition);
    if (layer.width === null && box.width <= 0)
      faults.push({ path: `${at}.width`, message: 'must be given, as x lies past the right edge' });
    if (layer.height === null && box.height <= 0)
      faults.push({ path: `${at}.height`, message: 'must be given, as y lies past the lower edge' });
    return faults;
  }),
  ...(livePixels(composition) > LIMITS.live_pixels
    ? [{ path: `${path}layers`, message: 'show too many pixels at one moment: use fewer or smaller layers' }]
    : []),
];

const compositionFaults = (composition: Composition, path: string, assets: readonly AssetEntry[]): readonly Fault[] => [
  ...boundFaults(composition, `${path}.`),
  ...duplicates(
    `${path}.layers`,
    'id',
    composition.layers.map(({ id }) => id),
  ),
  ...(composition.poster_time !== null && composition.poster_time >= composition.duration
    ? [
        {
          path: `${path}.poster_time`,
          message: `must be before the end of the composition (${composition.duration} s)`,
        },
      ]
    : []),
  ...composition.layers.flatMap((layer, index): readonly Fault[] => {
    if (!('asset' in layer)) return [];
    const asset = assets.find(({ id }) => id === layer.asset);
    const at = `${path}.layers[${index}].asset`;
    if (asset === undefined) return [{ path: at, message: `the project has no asset "${layer.asset}"` }];
    if (asset.kind !== layer.type)
      return [{ path: at, message: `"${layer.asset}" is of kind ${asset.kind}, not ${layer.type}` }];
    return [];
  }),
];

const templateFaults = (template: Template, path: string, project: ProjectFile): readonly Fault[] => {
  const composition = project.compositions.find(({ id }) => id === template.target_composition_id);
  if (composition === undefined)
    return [
      {
        path: `${path}.target_composition_id`,
        message: `the project has no composition "${template.target_composition_id}"`,
      },
    ];
  const targets = template.fields.map(({ target }) => `${target.layer}.${target.property}`);
  return [
    ...duplicates(
      `${path}.fields`,
      'key',
      template.fields.map(({ key }) => key),
    ),
    ...duplicates(`${path}.fields`, 'target', targets),
    ...template.fields.flatMap((field, index): readonly Fault[] => {
      const at = `${path}.fields[${index}]`;
      const layer = composition.layers.find(({ id }) => id === field.target.layer);
      if (layer === undefined)
        return [{ path: `${at}.target.layer`, message: `"${composition.id}" has no layer "${field.target.layer}"` }];
      const kind = kindOfProperty(layer.type, field.target.property);
      if (kind === null)
        return [
          {
            path: `${at}.target.property`,
            message: `a ${layer.type} layer has no "${field.target.property}" to drive`,
          },
        ];
      if (kind !== field.kind)
        return [{ path: `${at}.kind`, message: `must be ${kind}, to drive "${field.target.property}"` }];
      const driven = driveLayer(layer, field, field.default_value, project.assets);
      return E.isRight(driven) ? [] : driven.left.map(({ message }) => ({ path: `${at}.default_value`, message }));
    }),
  ];
};

/** Everything that one part of a project says of another and that is not so. */
export const referenceFaults = (project: ProjectFile): readonly Fault[] => {
  const main = project.compositions.find(({ id }) => id === project.main_composition_id);
  return [
    ...(main === undefined
      ? [{ path: 'main_composition_id', message: `the project has no composition "${project.main_composition_id}"` }]
      : []),
    ...duplicates(
      'compositions',
      'id',
      project.compositions.map(({ id }) => id),
    ),
    ...duplicates(
      'assets',
      'id',
      project.assets.map(({ id }) => id),
    ),
    ...duplicates(
      'templates',
      'id',
      project.templates.map(({ id }) => id),
    ),
    ...duplicates(
      'variants',
      'name',
      project.variants.map(({ name }) => name),
    ),
    ...project.variants.flatMap(({ height }, index) => [
      ...(height % 2 === 0 ? [] : [{ path: `variants[${index}].height`, message: `must be even, is ${height}` }]),
      ...(main !== undefined && height >= main.height
        ? [
            {
              path: `variants[${index}].height`,
              message: `must be less than the main composition's height (${main.height})`,
            },
          ]
        : []),
    ]),
    ...project.compositions.flatMap((composition, index) =>
      compositionFaults(composition, `compositions[${index}]`, project.assets),
    ),
    ...project.templates.flatMap((template, index) => templateFaults(template, `templates[${index}]`, project)),
  ];
};
