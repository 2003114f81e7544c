import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { MANAGEMENT_OPENAPI } from '../../schemas/http/management/document.ts';

// The generator needs TypeScript's compiler API, which version 7 does not have, so it gets version 6.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? '@typescript/typescript6' : specifier, context),
});
const { astToString, default: openapiTS } = await import('openapi-typescript');

const FILE = new URL('../source/api/management-types.ts', import.meta.url);

/** An unchanged file is not written. */
const text = astToString(await openapiTS(JSON.stringify(MANAGEMENT_OPENAPI)));
mkdirSync(dirname(FILE.pathname), { recursive: true });
const before = (): string => {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return '';
  }
};
if (before() !== text) writeFileSync(FILE, text);
