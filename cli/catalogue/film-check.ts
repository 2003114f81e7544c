import * as E from 'fp-ts/lib/Either.js';
import { distinctFaults, type Fault } from '../../domain/composition/fault.ts';
import { composeFinal, type FinalComposition } from '../../domain/composition/final-composition.ts';
import { checkFlat } from '../../domain/composition/flat-project.ts';
import { fieldOf, withGroups } from '../../domain/composition/layer-groups.ts';
import type { Layer } from '../../domain/composition/layers.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { secondsText } from '../../domain/composition/source-end-rules.ts';
import { literalPlaceholders } from '../../domain/composition/text-faults.ts';
import { trimmedFrames } from '../../domain/composition/trimmed-frames.ts';
import type { MediaProperties } from '../../engine/media/media-properties.ts';
import { composeScene } from '../../engine/scene/compose-scene.ts';
import { layerSpan, sourceEnd } from '../../engine/scene/timing.ts';
import type { FilmFindings } from './project-files.ts';

type Composition = FinalComposition['composition'];

/** Differences up to this time are ignored: containers round durations, and audio encoders fill their last packet. */
const UNSEEN_S = 0.1;

const HELP = 'set "loop": true to repeat it, or "duration": "media" to end the layer with it';

/** The fault of a layer that is longer than its media. An audio layer is checked only if it has a duration. */
const reachesPast = (layer: Layer, properties: MediaProperties, composition: Composition, at: string): Fault | null => {
  if (!('trim_start' in layer) || !layer.visible) return null;
  const { asset, trim_end, loop } = layer;
  const end_s = sourceEnd(properties);
  const { fps } = composition;
  const secondsOf = (frames: number): number => (frames * fps.den) / fps.num;
  const { from, until } = layerSpan(layer, properties, composition);
  const [shown_s, given_s] = [secondsOf(until - from), secondsOf(trimmedFrames(layer, end_s, fps))];
  const is_left_open = layer.type === 'audio' && layer.duration === null;
  if (!loop && !is_left_open && until - from > 0 && shown_s - given_s > UNSEEN_S) {
    const then = layer.type === 'video' ? 'the last frame stays visible' : 'the rest is silent';
    const message = `lasts ${secondsText(shown_s)}, but "${asset}" only ${secondsText(given_s)}: ${then}; ${HELP}`;
    return { path: at, message };
  }
  if (trim_end === null || trim_end - end_s <= UNSEEN_S) return null;
  return { path: `${at}.trim_end`, message: `is after the end of "${asset}" (${secondsText(end_s)})` };
};

export const checkFilms = (document: ProjectDocument, media: ReadonlyMap<string, MediaProperties>): FilmFindings => {
  const faults: Fault[] = [];
  const warnings: Fault[] = [...checkFlat(document, literalPlaceholders)];
  for (const template_id of [null, ...document.templates.map(({ id }) => id)]) {
    const final = composeFinal(document, template_id, {});
    if (E.isLeft(final)) continue;
    const { composition, assets } = final.right;
    if (assets.some(({ id, kind }) => kind !== 'font' && !media.has(id))) continue;
    const at = `compositions[${document.compositions.findIndex(({ id }) => id === composition.id)}]`;
    const scene = composeScene(final.right, media);
    if (E.isLeft(scene) && scene.left.tag === 'composition') {
      const { field, message } = scene.left;
      faults.push({ path: field === undefined ? at : `${at}.${field}`, message });
    }
    for (const [index, layer] of withGroups(composition.layers, composition.groups).entries()) {
      const properties = 'asset' in layer ? media.get(layer.asset) : undefined;
      const warning =
        properties === undefined ? null : reachesPast(layer, properties, composition, `${at}.${fieldOf(layer, index)}`);
      if (warning !== null) warnings.push(warning);
    }
  }
  return { faults: distinctFaults(faults), warnings: distinctFaults(warnings) };
};
