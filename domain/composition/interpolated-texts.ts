import * as E from 'fp-ts/lib/Either.js';
import { countCodePoints, normalizeNewlines, textFault } from '../shape/text-rules.ts';
import { ENGINE_VERSION, INTERPOLATES_SINCE } from './engine-version.ts';
import { type FindField, fieldFinder } from './find-field.ts';
import type { FlatLayer } from './flat-layers.ts';
import { LIMITS } from './limits.ts';
import type { ProjectDocument } from './project-shape.ts';
import { type FieldKind, type Template, targetsOf } from './templates.ts';
import { formatOf } from './text-filters.ts';
import { hasBraces, type Placeholder, parseText, type TextPiece } from './text-pieces.ts';

/** Older documents have no placeholders: their braces are characters. */
export const interpolatesTexts = ({ engine = ENGINE_VERSION }: { readonly engine?: number }): boolean =>
  engine >= INTERPOLATES_SINCE;

/** The kinds of fields that a text can show. */
export const TEXT_KINDS: readonly FieldKind[] = ['text', 'number', 'color', 'date'];

/** The value as the filters get it. */
export const shownValue = (kind: FieldKind, value: string): string =>
  kind === 'text' ? normalizeNewlines(value) : value.trim();

/** A `key` is null if no given value is at fault. */
export type TextFault = { readonly layer: number; readonly key: string | null; readonly message: string };

/** A given value, as it is drawn in a text. */
export type ShownValue = { readonly key: string; readonly layer: FlatLayer; readonly text: string };

type ResolvedText = {
  readonly text: string;
  readonly given: readonly { readonly key: string; readonly text: string }[];
};

const textOf = (
  { source, key, filters }: Placeholder,
  findField: FindField,
): E.Either<Omit<TextFault, 'layer'>, { readonly text: string; readonly is_given: boolean }> => {
  const found = findField(key);
  if (found === null) return E.left({ key: null, message: `"${source}": there is no field "${key}"` });
  const { field, given } = found;
  const format = formatOf(filters, field.kind);
  if (E.isLeft(format)) return E.left({ key: null, message: `"${source}": ${format.left}` });
  const text = format.right(shownValue(field.kind, given ?? field.default_value));
  return E.isRight(text)
    ? E.right({ text: text.right, is_given: given !== undefined })
    : E.left({ key: given === undefined ? null : key, message: `${text.left}, for "${source}"` });
};

/** Values are never parsed, so a value with braces stays as it is. */
const resolveText = (
  pieces: readonly TextPiece[],
  findField: FindField,
): E.Either<Omit<TextFault, 'layer'>, ResolvedText> => {
  const given: { readonly key: string; readonly text: string }[] = [];
  let text = '';
  for (const piece of pieces) {
    if (piece.tag === 'literal') text += piece.text;
    else {
      const shown = textOf(piece, findField);
      if (E.isLeft(shown)) return shown;
      text += shown.right.text;
      if (shown.right.is_given) given.push({ key: piece.key, text: shown.right.text });
    }
    // A code point has one or two units. Many placeholders with long values must not add up.
    if (text.length > 2 * LIMITS.text) break;
  }
  const fault = textFault(text, LIMITS.text);
  if (fault === null) return E.right({ text, given });
  const longest = given.toSorted((one, other) => other.text.length - one.text.length)[0];
  const message = countCodePoints(text) > LIMITS.text ? `makes a text longer than ${LIMITS.text} characters` : fault;
  return E.left({ key: longest?.key ?? null, message });
};

type Interpolated = {
  readonly layers: readonly FlatLayer[];
  readonly shown: readonly ShownValue[];
  readonly faults: readonly TextFault[];
};

/**
 * Replaces the placeholders of all texts that no field drives: the value of a driven text is already in the layer.
 * Without a template, each field has its default.
 *
 * @param refused keys of values that have a fault already
 */
export const interpolateTexts = (
  document: ProjectDocument,
  composition_id: string,
  template: Template | null,
  values: { readonly [key: string]: string },
  layers: readonly FlatLayer[],
  refused: ReadonlySet<string> = new Set(),
): Interpolated => {
  if (!interpolatesTexts(document)) return { layers, shown: [], faults: [] };
  const driven = new Set(
    (template?.fields ?? []).flatMap((field) =>
      targetsOf(field).flatMap(({ layer, property }) => (property === 'text' ? [layer] : [])),
    ),
  );
  const findField = fieldFinder(document, composition_id, template, values, refused);
  const shown: ShownValue[] = [];
  const faults: TextFault[] = [];
  const drawn = layers.map((layer, index): FlatLayer => {
    if (layer.type !== 'text' || driven.has(layer.id) || !hasBraces(layer.text)) return layer;
    const pieces = parseText(layer.text);
    const resolved = E.isLeft(pieces)
      ? E.left({ key: null, message: pieces.left })
      : resolveText(pieces.right, findField);
    if (E.isLeft(resolved)) {
      faults.push({ layer: index, ...resolved.left });
      return layer;
    }
    shown.push(...resolved.right.given.map((one) => ({ ...one, layer })));
    return { ...layer, text: resolved.right.text };
  });
  return { layers: drawn, shown, faults };
};
