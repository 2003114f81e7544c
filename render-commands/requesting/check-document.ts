import * as E from 'fp-ts/lib/Either.js';
import { draftOf } from '../../domain/composition/draft.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import { compose, type ValueLengths } from '../../domain/composition/final-composition.ts';
import { flatLayersOf } from '../../domain/composition/flat-layers.ts';
import { checkFlat } from '../../domain/composition/flat-project.ts';
import { framesOf } from '../../domain/composition/frame-rate.ts';
import type { ShownTimes } from '../../domain/composition/layer-times.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { literalPlaceholders } from '../../domain/composition/text-faults.ts';
import { didYouMean } from '../../domain/near-name.ts';
import type { RenderRequest } from '../../schemas/http/public/render-request.ts';
import { trialOf } from './decide-render.ts';

type Wanted = Pick<RenderRequest, 'template_id' | 'values' | 'draft'>;

/** With `is_longest`, lengths are unknown before a fetch: the film is at most as long, and as expensive. */
export type CheckedFilm = {
  readonly frames: number;
  readonly duration_s: number;
  readonly price_credits: number;
  readonly is_longest: boolean;
  readonly layers: readonly ShownTimes[];
};

export type CheckedDocument = {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  /** Null if there are faults. */
  readonly film: CheckedFilm | null;
};

/** A message like `values.price: must be a number`, as a fault with its path. */
export const faultOf = (message: string): Fault => {
  const [path = '', ...rest] = message.split(': ');
  return rest.length === 0 ? { path: '', message } : { path, message: rest.join(': ') };
};

/** The faults of all values. The composition reports only the first one, so each value is tried alone. */
const valueFaults = (document: ProjectDocument, wanted: Wanted, message: string): readonly Fault[] => {
  const messages = Object.entries(wanted.values).flatMap(([key, value]) => {
    const alone = trialOf({ ...wanted, values: { [key]: value } }, document);
    return E.isLeft(alone) ? [alone.left.message] : [];
  });
  return [...new Set(messages.length === 0 ? [message] : messages)].map(faultOf);
};

const ignoredValues = (document: ProjectDocument, { template_id, values }: Wanted): readonly Fault[] => {
  const keys = document.templates.find(({ id }) => id === template_id)?.fields.map(({ key }) => key) ?? [];
  return Object.keys(values)
    .filter((key) => !keys.includes(key))
    .map((key) => ({
      path: `values.${key}`,
      message: `is ignored: the template has no such field${didYouMean(key, keys)}`,
    }));
};

/** Images, videos and sounds that no layer shows and that are the default of no field. Fonts are chosen by family. */
const unusedAssets = ({ assets, compositions, templates }: ProjectDocument): readonly Fault[] => {
  const used = new Set([
    ...compositions.flatMap(({ layers }) =>
      flatLayersOf(layers).flatMap(({ layer }) => ('asset' in layer ? [layer.asset] : [])),
    ),
    ...templates.flatMap(({ fields }) => fields.map(({ default_value }) => default_value)),
  ]);
  return assets.flatMap(({ id, kind }, index) =>
    kind === 'font' || used.has(id) ? [] : [{ path: `assets[${index}]`, message: 'is not used by any layer or field' }],
  );
};

const LONGEST: Fault = {
  path: 'values',
  message:
    'the length of the film follows from files that are not fetched yet; frames, length and price are the largest possible',
};

/** Everything that can be said about a render of a document without a request of it. */
export const checkDocument = (
  document: ProjectDocument,
  wanted: Wanted,
  lengths: ValueLengths = new Map(),
): CheckedDocument => {
  const warnings = [
    ...unusedAssets(document),
    ...checkFlat(document, literalPlaceholders),
    ...ignoredValues(document, wanted),
  ];
  const price = trialOf(wanted, document, lengths);
  if (E.isLeft(price)) return { faults: valueFaults(document, wanted, price.left.message), warnings, film: null };
  const composed = compose(document, wanted.template_id, wanted.values, 'to_be_fetched', lengths);
  if (E.isLeft(composed)) throw new Error('a composition has a price but cannot be composed');
  const { final, is_longest, times } = composed.right;
  const { duration, fps } = (wanted.draft ? draftOf(final) : final).composition;
  const frames = framesOf(duration, fps);
  const duration_s = (frames * fps.den) / fps.num;
  return {
    faults: [],
    warnings: is_longest ? [...warnings, LONGEST] : warnings,
    film: { frames, duration_s, price_credits: price.right, is_longest, layers: times },
  };
};
