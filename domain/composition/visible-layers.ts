import * as E from 'fp-ts/lib/Either.js';
import { didYouMean } from '../near-name.ts';
import { distinctFaults, type Fault } from './fault.ts';
import { equalsValue, fieldLimitFault, parseFieldValue } from './field-values.ts';
import type { FindField } from './find-field.ts';
import type { FlatLayer } from './flat-layers.ts';
import type { LenientComposition, LenientField, LenientLayer, LenientProject } from './lenient-decode.ts';
import type { FieldKind } from './templates.ts';
import { type CompositionFields, fieldsOfComposition } from './text-faults.ts';
import type { VisibleIf } from './visible.ts';

/** The kinds of fields that a condition can compare. */
const COMPARED_KINDS: readonly FieldKind[] = ['text', 'number', 'color', 'toggle', 'date'];

const holds = ({ equals, is_empty }: VisibleIf, kind: FieldKind, value: string): boolean =>
  equals === undefined ? (value.trim() === '') === is_empty : equalsValue(kind, equals, value);

/** The layers with `visible` as true or false. An unknown field, which the decoder of documents refuses, hides. */
export const resolveVisible = (layers: readonly FlatLayer[], findField: FindField): readonly FlatLayer[] =>
  layers.map((layer) => {
    if (typeof layer.visible === 'boolean') return layer;
    const found = findField(layer.visible.field);
    const visible = found !== null && holds(layer.visible, found.field.kind, found.given ?? found.field.default_value);
    return { ...layer, visible };
  });

const conditionOf = ({ visible }: LenientLayer): VisibleIf | null => (typeof visible === 'object' ? visible : null);

/** The keys of the fields that decide whether a layer is visible. */
export const keysInVisible = ({ layers = [] }: LenientComposition): ReadonlySet<string> =>
  new Set(layers.flatMap((layer) => conditionOf(layer)?.field ?? []));

const comparedFaults = ({ equals, is_empty }: VisibleIf, field: LenientField, at: string): readonly Fault[] => {
  const { kind, min, max, max_length, choices } = field;
  if (kind === undefined) return [];
  if (!COMPARED_KINDS.includes(kind))
    return [{ path: `${at}.field`, message: `must be a field of kind ${COMPARED_KINDS.join(', ')}, not ${kind}` }];
  if (is_empty !== undefined && kind !== 'text')
    return [{ path: `${at}.is_empty`, message: `is only for fields of kind text, not ${kind}` }];
  if (equals === undefined) return [];
  const parsed = parseFieldValue(kind, equals, []);
  const message = E.isLeft(parsed) ? parsed.left : fieldLimitFault({ kind, min, max, max_length, choices }, equals);
  return message === null ? [] : [{ path: `${at}.equals`, message: `${message}, like each value of "${field.key}"` }];
};

const conditionFaults = (
  condition: VisibleIf,
  at: string,
  { id }: LenientComposition,
  { by_key, is_complete }: CompositionFields,
): readonly Fault[] => {
  const { field: key, equals, is_empty } = condition;
  if (equals === undefined && is_empty === undefined)
    return [{ path: `${at}.equals`, message: 'is required, or is_empty' }];
  if (equals !== undefined && is_empty !== undefined)
    return [{ path: `${at}.is_empty`, message: 'cannot be combined with equals' }];
  const fields = by_key.get(key) ?? [];
  if (fields.length > 0) return fields.flatMap(({ field }) => comparedFaults(condition, field, at));
  const message = `no template of "${id}" has a field "${key}"${didYouMean(key, [...by_key.keys()])}`;
  return is_complete ? [{ path: `${at}.field`, message }] : [];
};

/** Faults of the conditions of layers. */
export const visibleFaults = (project: LenientProject): readonly Fault[] =>
  distinctFaults(
    (project.compositions ?? []).flatMap((composition, c) => {
      const conditions = (composition.layers ?? []).flatMap((layer, l) => {
        const condition = conditionOf(layer);
        return condition === null ? [] : [{ condition, at: `compositions[${c}].layers[${l}].visible` }];
      });
      if (conditions.length === 0) return [];
      const fields = fieldsOfComposition(project, composition.id);
      return conditions.flatMap(({ condition, at }) => conditionFaults(condition, at, composition, fields));
    }),
  );
