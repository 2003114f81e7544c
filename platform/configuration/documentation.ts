import type { Part } from './parts.ts';
import type { Variable } from './variable.ts';

const HEAD = `# Configuration

Every component reads its configuration from the environment when it starts, and says every fault at once if it cannot.
A variable that is set to nothing counts as not set. This page is made from the code that reads them:
\`node platform/configuration/write-documentation.ts\`.
`;

const code = (text: string): string => `\`${text}\``;

const row = (variable: Variable<unknown>): string =>
  [
    code(variable.name),
    variable.description,
    `${variable.form}${variable.secret ? ' (secret)' : ''}`,
    variable.absence === null ? '**must be set**' : variable.absence,
    code(variable.example),
  ].join(' | ');

const section = (part: Part): string =>
  [
    `## ${part.title}`,
    '',
    '| variable | meaning | form | if not set | example |',
    '|---|---|---|---|---|',
    ...Object.values(part.variables).map((variable) => `| ${row(variable)} |`),
    '',
  ].join('\n');

/** The page docs/configuration.md. */
export const documentation = (parts: readonly Part[]): string => [HEAD, ...parts.map(section)].join('\n');
