import { readFileSync } from 'node:fs';
import { ProjectFile } from '../domain/composition/project-shape.ts';
import type { JsonSchema } from '../domain/shape/json-schema.ts';
import { descriptionsIn, withDescriptions } from './project-descriptions.ts';

const PAGE = readFileSync(new URL('../docs/composition.md', import.meta.url), 'utf8');

/** Accepts everything that the codec accepts. Only the import checks references between parts. */
export const PROJECT_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Project file',
  description: 'docs/composition.md explains each property.',
  ...withDescriptions(ProjectFile.schema, descriptionsIn(PAGE)),
};

export const PROJECT_SCHEMA_FILE = new URL('project.schema.json', import.meta.url);

export const projectSchemaText = (): string => `${JSON.stringify(PROJECT_SCHEMA, null, 2)}\n`;
