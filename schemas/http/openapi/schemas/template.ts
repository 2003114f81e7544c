import { LIMITS } from '../../../../domain/composition/limits.ts';
import { type Schema, schemaRef } from '../form.ts';
import { COMPOSITION_ID, object, PROJECT_ID, shared, sharedOrNull, TEMPLATE_ID, text } from './scalars.ts';

export const TEMPLATE_FIELD = object('One input of a template.', {
  key: text("The key to use in a render's `values`."),
  label: { type: ['string', 'null'], description: 'What to call it before a person.' },
  description: { type: ['string', 'null'], description: 'What it is for.' },
  kind: shared('FieldKind', 'What the field drives.'),
  widget: sharedOrNull('FieldWidget', 'How an editor renders the input; null where that is left to it.'),
  default_value: text('Taken when a render leaves the field out. Always a string, whatever the kind.'),
});

const SUMMARY: Readonly<Record<string, Schema>> = {
  id: TEMPLATE_ID,
  name: text('What it is called.'),
  description: { type: ['string', 'null'], description: 'What it is for.' },
  project_id: PROJECT_ID,
  target_composition_id: { ...COMPOSITION_ID, description: 'The composition that the template renders.' },
  field_count: { type: 'integer', minimum: 0, maximum: LIMITS.fields, description: 'How many fields it has.' },
};

export const TEMPLATE_SUMMARY = object('A template as lists have it: without its fields.', SUMMARY);

export const TEMPLATE = object('A template: the inputs that a project offers.', {
  ...SUMMARY,
  fields: { type: 'array', items: schemaRef('TemplateField'), maxItems: LIMITS.fields, description: 'Every field.' },
});
