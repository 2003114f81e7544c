import type { Part } from './parts.ts';
import type { Variable } from './variable.ts';

const HEAD = `# Configuration

Every component reads its configuration from environment variables at its start. If a value is missing or wrong, the
component reports all errors at once and exits. An empty variable counts as not set. This page is generated:
\`node platform/configuration/write-documentation.ts\`.
`;

const code = (text: string): string => `\`${text}\``;

const row = (variable: Variable<unknown>): string =>
  [
    code(variable.name),
    variable.description,
    `${variable.form}${variable.secret ? ' (secret)' : ''}`,
    variable.absence === null ? '**required**' : variable.absence,
    code(variable.example),
  ].join(' | ');

const section = (part: Part): string =>
  [
    `## ${part.title}`,
    '',
    '| variable | meaning | value | default | example |',
    '|---|---|---|---|---|',
    ...Object.values(part.variables).map((variable) => `| ${row(variable)} |`),
    '',
  ].join('\n');

export const documentation = (parts: readonly Part[]): string => [HEAD, ...parts.map(section)].join('\n');
