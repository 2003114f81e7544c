import { givenValue } from './field-values.ts';
import type { ProjectDocument } from './project-shape.ts';
import type { Template, TemplateField } from './templates.ts';

/** Finds a field and the value that the render gives it. Null if no template of the composition has the field. */
export type FindField = (key: string) => { readonly field: TemplateField; readonly given: string | undefined } | null;

/**
 * Fields of the render's template come first, then those of other templates of the composition, for their defaults.
 * Without a template, each field has its default.
 *
 * @param refused keys of values that have a fault already
 */
export const fieldFinder = (
  { templates }: ProjectDocument,
  composition_id: string,
  template: Template | null,
  values: { readonly [key: string]: string },
  refused: ReadonlySet<string>,
): FindField => {
  const others = templates.filter(({ target_composition_id }) => target_composition_id === composition_id);
  const all = [...(template === null ? [] : [template]), ...others].flatMap((one) => one.fields);
  const fields = new Map(all.toReversed().map((field) => [field.key, field] as const));
  const own = new Set((template?.fields ?? []).map(({ key }) => key));
  return (key) => {
    const field = fields.get(key);
    if (field === undefined) return null;
    return { field, given: own.has(key) && !refused.has(key) ? givenValue(values, key) : undefined };
  };
};
