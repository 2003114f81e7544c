import type { StackFile } from './stack-file.ts';

const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

/**
 * Lines for `eval "$(./renderctl env)"`. The addresses are named STACK_…, not as components read them: else the next
 * `make start` in that terminal would use servers that no longer run.
 */
export const environmentOf = (stack: StackFile): Readonly<Record<string, string>> => {
  const variables = {
    BASE_URL: stack.base_url,
    API_KEY: stack.api_key,
    ACCOUNT_ID: stack.account_id,
    TEAM_ID: stack.team_id,
    PROJECT_ID: stack.project_id,
    TEMPLATE_ID: stack.template_id,
    STACK_KAFKA: stack.kafka,
    STACK_REGISTRY_URL: stack.registry_url,
    STACK_MONGODB_URL: stack.mongodb_url,
    STACK_BLOB_CONNECTION_STRING: stack.blob_connection_string,
  };
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
};

export const exportLines = (environment: Readonly<Record<string, string>>): string =>
  Object.entries(environment)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');
