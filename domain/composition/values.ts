import * as E from 'fp-ts/lib/Either.js';
import { driveLayer } from './field-values.ts';
import { isFontFamily, NO_SUCH_FONT } from './font-families.ts';
import type { Layer } from './layers.ts';
import { LIMITS } from './limits.ts';
import type { ProjectDocument } from './project-shape.ts';
import type { Template, TemplateField } from './templates.ts';

/** A render's values by field key. Keys that the template does not define are ignored. */
export type Values = { readonly [key: string]: string };

/** `field` is `values.<key>` (or `values` for all of them); the message never holds the value. */
export type ValueFault = { readonly field: string; readonly message: string };

const sizeFaults = (values: Values): readonly ValueFault[] => {
  const entries = Object.entries(values);
  const bytes = entries.reduce((sum, [key, value]) => sum + new TextEncoder().encode(key + value).length, 0);
  return [
    ...(entries.length > LIMITS.values
      ? [{ field: 'values', message: `must have at most ${LIMITS.values} entries` }]
      : []),
    ...(bytes > LIMITS.values_bytes
      ? [{ field: 'values', message: `must be at most ${LIMITS.values_bytes / 1024} KiB together` }]
      : []),
  ];
};

/** Of given values only: a default of a stored project may name a font that the engine had once. */
const isNoFont = ({ target }: TemplateField, value: string | undefined): boolean =>
  target.property === 'font_family' && value !== undefined && !isFontFamily(value);

/** The layers of the template's composition with every field's value, or its default, in place; or every fault. */
export const applyValues = (
  document: ProjectDocument,
  template: Template,
  values: Values,
): E.Either<readonly ValueFault[], readonly Layer[]> => {
  const composition = document.compositions.find(({ id }) => id === template.target_composition_id);
  const faults: ValueFault[] = [...sizeFaults(values)];
  const layers = (composition?.layers ?? []).map((layer) =>
    template.fields
      .filter(({ target }) => target.layer === layer.id)
      .reduce((driven: Layer, field) => {
        const value = Object.hasOwn(values, field.key) ? values[field.key] : undefined;
        if (isNoFont(field, value)) faults.push({ field: `values.${field.key}`, message: NO_SUCH_FONT });
        const next = driveLayer(driven, field, value ?? field.default_value, document.assets);
        if (E.isRight(next)) return next.right;
        for (const { message } of next.left) faults.push({ field: `values.${field.key}`, message });
        return driven;
      }, layer),
  );
  return faults.length === 0 ? E.right(layers) : E.left(faults);
};

/**
 * Everything about a render's values that needs no network: text that can be drawn, numbers within their property's
 * bounds, colours, toggles, fonts, ids of the project's own assets.
 */
export const checkValues = (
  document: ProjectDocument,
  template: Template,
  values: Values,
): E.Either<readonly ValueFault[], void> => {
  const applied = applyValues(document, template, values);
  return E.isRight(applied) ? E.right(undefined) : E.left(applied.left);
};
