import * as E from 'fp-ts/lib/Either.js';
import { didYouMean } from '../near-name.ts';
import { countCodePoints } from '../shape/text-rules.ts';
import { INTERPOLATES_SINCE } from './engine-version.ts';
import { distinctFaults, type Fault } from './fault.ts';
import { interpolatesTexts, shownValue, TEXT_KINDS } from './interpolated-texts.ts';
import type { LenientComposition, LenientField, LenientLayer, LenientProject } from './lenient-decode.ts';
import { LIMITS } from './limits.ts';
import { formatOf } from './text-filters.ts';
import { hasBraces, type Placeholder, parseText } from './text-pieces.ts';
import { casingLanguage } from './text-transform.ts';

type FieldAt = { readonly field: LenientField; readonly at: string };

/** The fields of all templates of one composition. `is_complete` is false if some have no key or cannot be read. */
export type CompositionFields = {
  readonly by_key: ReadonlyMap<string, readonly FieldAt[]>;
  readonly is_complete: boolean;
};

export const fieldsOfComposition = (
  { templates }: LenientProject,
  composition_id: string | undefined,
): CompositionFields => {
  const by_key = new Map<string, FieldAt[]>();
  let is_complete = templates !== undefined && composition_id !== undefined;
  for (const [t, { target_composition_id, fields }] of (templates ?? []).entries()) {
    if (target_composition_id === undefined) is_complete = false;
    if (target_composition_id !== composition_id) continue;
    if (fields === undefined) is_complete = false;
    for (const [f, field] of (fields ?? []).entries()) {
      if (field.key === undefined) is_complete = false;
      else by_key.set(field.key, [...(by_key.get(field.key) ?? []), { field, at: `templates[${t}].fields[${f}]` }]);
    }
  }
  return { by_key, is_complete };
};

/** Near names of more keys would take seconds. */
const MAX_SUGGESTIONS = 20;

const unknownKey = ({ source, key }: Placeholder, { id }: LenientComposition, known: readonly string[]): string =>
  `"${source}": no template of "${id}" has a field "${key}"${didYouMean(key, known) || '; add the field, or write {{{{ for braces'}`;

type Shown = { readonly faults: readonly Fault[]; readonly longest: string };

const longerOf = (one: string, other: string): string => (other.length > one.length ? other : one);

/** The default and the choices of a field, as the placeholder shows them. */
const shownFaults = ({ source, filters }: Placeholder, { field, at }: FieldAt, path: string): Shown => {
  const { kind, default_value, choices = [] } = field;
  if (kind === undefined) return { faults: [], longest: '' };
  if (!TEXT_KINDS.includes(kind)) {
    const message = `"${source}": a text can only show fields of kind ${TEXT_KINDS.join(', ')}, not ${kind}`;
    return { faults: [{ path, message }], longest: '' };
  }
  const format = formatOf(filters, kind);
  if (E.isLeft(format)) return { faults: [{ path, message: `"${source}": ${format.left}` }], longest: '' };
  const values = [
    ...(default_value === undefined ? [] : [{ value: default_value, path: `${at}.default_value` }]),
    ...choices.map((value, index) => ({ value, path: `${at}.choices[${index}]` })),
  ];
  const faults: Fault[] = [];
  let longest = '';
  for (const one of values) {
    const text = format.right(shownValue(kind, one.value));
    if (E.isLeft(text)) faults.push({ path: one.path, message: `${text.left}, for "${source}"` });
    else longest = longerOf(longest, text.right);
  }
  return { faults, longest };
};

const faultsOfText = (
  text: string,
  path: string,
  composition: LenientComposition,
  { by_key, is_complete }: CompositionFields,
  suggested: number,
): { readonly faults: readonly Fault[]; readonly placeholders: number } => {
  const pieces = parseText(text);
  if (E.isLeft(pieces)) return { faults: [{ path, message: pieces.left }], placeholders: 0 };
  const faults: Fault[] = [];
  let placeholders = 0;
  let longest = '';
  for (const piece of pieces.right) {
    // A code point has at most two units.
    if (longest.length > 2 * LIMITS.text) break;
    if (piece.tag === 'literal') longest += piece.text;
    else {
      placeholders += 1;
      if (placeholders > LIMITS.placeholders) break;
      const fields = by_key.get(piece.key) ?? [];
      if (fields.length === 0 && is_complete)
        faults.push({
          path,
          message: unknownKey(
            piece,
            composition,
            suggested + faults.length < MAX_SUGGESTIONS ? [...by_key.keys()] : [],
          ),
        });
      const shown = fields.map((field) => shownFaults(piece, field, path));
      faults.push(...shown.flatMap((one) => one.faults));
      longest += shown.map((one) => one.longest).reduce(longerOf, '');
    }
  }
  if (faults.length === 0 && longest.length > LIMITS.text && countCodePoints(longest) > LIMITS.text)
    faults.push({ path, message: `must have at most ${LIMITS.text} characters with the values of its fields` });
  return { faults, placeholders };
};

/** Faults of placeholders in texts. Stored projects skip this check, because a later ICU may lack a language. */
export const textFaults = (project: LenientProject): readonly Fault[] => {
  if (!interpolatesTexts(project)) return [];
  const faults: Fault[] = [];
  let placeholders = 0;
  for (const [c, composition] of (project.compositions ?? []).entries()) {
    const texts = (composition.layers ?? []).flatMap(({ text }, l) =>
      text !== undefined && hasBraces(text) ? [{ text, path: `compositions[${c}].layers[${l}].text` }] : [],
    );
    if (texts.length === 0) continue;
    const fields = fieldsOfComposition(project, composition.id);
    for (const { text, path } of texts) {
      const found = faultsOfText(text, path, composition, fields, faults.length);
      placeholders += found.placeholders;
      if (placeholders > LIMITS.placeholders) {
        const message = `has too many {{…}}: all texts of a project can have ${LIMITS.placeholders}`;
        return distinctFaults([...faults, { path, message }]);
      }
      faults.push(...found.faults);
    }
  }
  return distinctFaults(faults);
};

/** The members of a layer that decide which glyphs a text has. */
export type LetterStyle = Pick<LenientLayer, 'font_family' | 'language' | 'text_transform'>;

/** The styles of the texts that show each field of a composition, by its key; null if a text cannot be read. */
export const stylesByKey = (
  project: LenientProject,
  { layers }: LenientComposition,
): ReadonlyMap<string, readonly LetterStyle[]> | null => {
  const styles = new Map<string, Map<string, LetterStyle>>();
  if (layers === undefined) return null;
  if (!interpolatesTexts(project)) return new Map();
  for (const { type, text, font_family = 'Noto Sans', language, text_transform } of layers) {
    if (text === undefined && (type === 'text' || type === undefined)) return null;
    if (text === undefined || !hasBraces(text)) continue;
    const pieces = parseText(text);
    if (E.isLeft(pieces)) return null;
    // Few styles are distinct, however many layers there are.
    const style = { font_family, text_transform, language: casingLanguage(language) };
    const name = JSON.stringify(text_transform === undefined ? [font_family] : style);
    for (const piece of pieces.right)
      if (piece.tag === 'placeholder') {
        const of_key = styles.get(piece.key) ?? new Map<string, LetterStyle>();
        styles.set(piece.key, of_key.set(name, style));
      }
  }
  return new Map([...styles].map(([key, of_key]) => [key, [...of_key.values()]]));
};

/** A warning for each text of flat lists of an older document that seems to show a field, but draws its braces. */
export const literalPlaceholders = (project: LenientProject): readonly Fault[] => {
  if (interpolatesTexts(project)) return [];
  return (project.compositions ?? []).flatMap(({ id, layers = [] }, c) => {
    const { by_key } = fieldsOfComposition(project, id);
    return layers.flatMap(({ text }, l) => {
      const pieces = text === undefined || by_key.size === 0 || !hasBraces(text) ? E.right([]) : parseText(text);
      const found = E.isRight(pieces)
        ? pieces.right.find((one) => one.tag === 'placeholder' && by_key.has(one.key))
        : undefined;
      if (found?.tag !== 'placeholder') return [];
      const message = `shows "${found.source}" as it is with engine ${project.engine}; set "engine": ${INTERPOLATES_SINCE} to show the field`;
      return [{ path: `compositions[${c}].layers[${l}].text`, message }];
    });
  });
};
