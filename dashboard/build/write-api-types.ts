import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { MANAGEMENT_OPENAPI } from '../../schemas/http/management/document.ts';
import { projectSchemaText } from '../../schemas/project-schema.ts';

// The generator needs TypeScript's compiler API, which version 7 does not have, so it gets version 6.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? '@typescript/typescript6' : specifier, context),
});
const { astToString, default: openapiTS } = await import('openapi-typescript');

const TYPES = new URL('../source/api/management-types.ts', import.meta.url);
/** The editor of documents completes by it. */
const SCHEMA = new URL('../source/api/project-schema.json', import.meta.url);

const readText = (file: URL): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** An unchanged file is not written. */
const write = (file: URL, text: string): void => {
  mkdirSync(dirname(file.pathname), { recursive: true });
  if (readText(file) !== text) writeFileSync(file, text);
};

write(TYPES, astToString(await openapiTS(JSON.stringify(MANAGEMENT_OPENAPI))));
write(SCHEMA, projectSchemaText());
