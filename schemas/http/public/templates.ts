import type * as t from 'io-ts';
import { LIMITS } from '../../../domain/composition/limits.ts';
import type { Template as ProjectTemplate } from '../../../domain/composition/templates.ts';
import { COMPOSITION_ID, PROJECT_ID, TEMPLATE_ID } from '../ids.ts';
import { query } from '../query.ts';
import {
  definitionsOf,
  integer,
  listOf,
  orNull,
  resource,
  text,
  wholeList,
  withDescription,
  withKeywords,
} from '../shapes.ts';
import { FieldKind, FieldWidget } from '../words.ts';
import { jsonResponse, type PublicOperation, parameterRefs } from './operation.ts';
import { PROJECT_PARAMETER } from './parameters.ts';
import { keyedRefusal, NO_PROJECT } from './responses.ts';
import { getSamples } from './samples/code-samples.ts';

export const TEMPLATE_FIELD = {
  key: text("The key to use in a render's `values`."),
  label: orNull(text(''), 'Its name for people.'),
  description: orNull(text(''), 'Its purpose.'),
  kind: withDescription(FieldKind, 'The kind of property that the field drives.'),
  widget: orNull(FieldWidget, 'How an editor renders the input; null if the editor may choose.'),
  default_value: text('The value when a render leaves the field out. Always a string, for every kind.'),
};

export const TemplateField = resource('TemplateField', 'One input of a template.', TEMPLATE_FIELD);

export const TEMPLATE_SUMMARY = {
  id: TEMPLATE_ID,
  name: text('Its name.'),
  description: orNull(text(''), 'Its purpose.'),
  project_id: PROJECT_ID,
  target_composition_id: withDescription(COMPOSITION_ID, 'The composition that the template renders.'),
  field_count: integer('The number of its fields.', { minimum: 0, maximum: LIMITS.fields }),
};

const TemplateSummary = resource('TemplateSummary', 'A template in a list: without its fields.', TEMPLATE_SUMMARY);
type TemplateSummary = t.TypeOf<typeof TemplateSummary>;

export const Template = resource('Template', 'A template: the inputs that a project offers.', {
  ...TEMPLATE_SUMMARY,
  fields: withKeywords(listOf(TemplateField, 'Every field.'), { maxItems: LIMITS.fields }),
});
type Template = t.TypeOf<typeof Template>;

const TemplateList = wholeList('TemplateList', TemplateSummary, 'The templates of a project, in its order.');

export const TEMPLATE_SCHEMAS = definitionsOf([
  ...[Template, TemplateSummary, TemplateField, FieldKind, FieldWidget, TemplateList],
]);

export const TemplateQuery = query(PROJECT_PARAMETER);

export const templateSummaryResource = (project_id: string, template: ProjectTemplate): TemplateSummary => {
  const { id, name, description, target_composition_id, fields } = template;
  return { id, name, description, project_id, target_composition_id, field_count: fields.length };
};

/** Bindings of fields are not part of the API. */
export const templateResource = (project_id: string, template: ProjectTemplate): Template => ({
  ...templateSummaryResource(project_id, template),
  fields: template.fields.map(TemplateField.encode),
});

const SUMMARY_EXAMPLE: TemplateSummary = {
  id: 'tpl_sale',
  name: 'Sale',
  description: 'A headline over a picture.',
  project_id: 'proj_01KAJWZK3H',
  target_composition_id: 'comp_main',
  field_count: 2,
};

const EXAMPLE: Template = {
  ...SUMMARY_EXAMPLE,
  fields: [
    {
      ...{ key: 'headline', label: 'Headline', description: null, kind: 'text', widget: 'textarea' },
      default_value: 'Everything must go',
    },
    {
      ...{ key: 'accent', label: 'Accent', description: null, kind: 'color', widget: 'color' },
      default_value: '#E30613',
    },
  ],
};

const tag = 'Templates';

export const TEMPLATES = {
  'GET /v1/templates': {
    ...{ id: 'listTemplates', tag, summary: 'List the templates of a project' },
    description: 'All of them, in the order in which the project defines them.',
    parameters: TemplateQuery.references,
    answers: {
      200: jsonResponse('All of them.', TemplateList, { example: ['One template', { data: [SUMMARY_EXAMPLE] }] }),
      404: NO_PROJECT,
    },
    samples: getSamples('/v1/templates?project_id={PROJECT_ID}'),
  },
  'GET /v1/templates/{template_id}': {
    ...{ id: 'getTemplate', tag, summary: 'Read a template' },
    description: 'The template with all of its fields, whose keys go into the `values` of a render.',
    parameters: [...parameterRefs('TemplateId'), ...TemplateQuery.references],
    answers: {
      200: jsonResponse('The template.', Template, { example: ['A template', EXAMPLE] }),
      404: keyedRefusal('The project or the template does not exist, or the key does not reach it.', {
        template: ['No such template', 'there is no such template', 'not_found', 'template_id'],
        project: ['No such project', 'there is no such project', 'not_found', 'project_id'],
      }),
    },
    samples: getSamples('/v1/templates/{TEMPLATE_ID}?project_id={PROJECT_ID}'),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
