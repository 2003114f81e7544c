import type * as t from 'io-ts';
import { listOf, multilineText, number, oneOf, optional, orNull, pattern, text } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { LIMITS } from './limits.ts';
import { LocalId } from './names.ts';

export const FieldKind = oneOf('text', 'number', 'color', 'image', 'video', 'audio', 'toggle', 'date');
export type FieldKind = t.TypeOf<typeof FieldKind>;

export const FieldWidget = oneOf('text', 'textarea', 'number', 'slider', 'color', 'file', 'switch', 'date');

export const CompositionId = pattern(/^comp_[A-Za-z0-9_-]{1,64}$/, '"comp_" and 1 to 64 letters, digits, "-" or "_"');
export const TemplateId = pattern(/^tpl_[A-Za-z0-9_-]{1,64}$/, '"tpl_" and 1 to 64 letters, digits, "-" or "_"');

const Property = pattern(
  /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,3}$/,
  'a property, like opacity, transition.duration or keyframes.scale.0.value',
);

/** Without a layer, the property is one of the composition. */
export const FieldTarget = strictObject({ layer: optional(LocalId), property: Property });
export type FieldTarget = t.TypeOf<typeof FieldTarget>;

const limit = number({ min: -LIMITS.field_number, max: LIMITS.field_number });

/**
 * Has either `target` or `targets`. `min` and `max` limit numbers, `max_length` limits texts, and `choices` are the
 * only values, as strings.
 */
export const TemplateField = strictObject({
  key: LocalId,
  label: orNull(text({ max: LIMITS.name })),
  description: orNull(multilineText({ max: 2000 })),
  kind: FieldKind,
  widget: orNull(FieldWidget),
  default_value: multilineText({ max: LIMITS.text }),
  target: optional(FieldTarget),
  targets: optional(listOf(FieldTarget, { min: 1, max: LIMITS.field_targets })),
  min: optional(limit),
  max: optional(limit),
  max_length: optional(number({ min: 1, max: LIMITS.text, whole: true })),
  choices: optional(listOf(multilineText({ max: LIMITS.choice }), { min: 1, max: LIMITS.choices })),
});
export type TemplateField = t.TypeOf<typeof TemplateField>;

/** The properties that a field drives. */
export const targetsOf = ({ target, targets }: Pick<TemplateField, 'target' | 'targets'>): readonly FieldTarget[] =>
  target === undefined ? (targets ?? []) : [target];

export const Template = strictObject({
  id: TemplateId,
  name: text({ min: 1, max: LIMITS.name }),
  description: orNull(multilineText({ max: 2000 })),
  target_composition_id: CompositionId,
  fields: listOf(TemplateField, { max: LIMITS.fields }),
});
export type Template = t.TypeOf<typeof Template>;
