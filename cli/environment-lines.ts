import { EMBEDDED_ADDRESSES, SERVER_ADDRESSES } from '../platform/configuration/stack-addresses.ts';
import { addressesOf, type StackFile } from './stack-file.ts';

const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

/**
 * The lines for `eval "$(./renderctl env)"`. Addresses of servers that the stack itself started are also written under
 * a second name. The next `make start` in the same terminal then ignores them.
 */
export const environmentOf = (stack: StackFile): Readonly<Record<string, string>> => {
  const addresses = addressesOf(stack);
  const embedded = SERVER_ADDRESSES.filter((name) => stack.embedded?.includes(name) ?? true);
  const variables = {
    BASE_URL: stack.base_url,
    API_KEY: stack.api_key,
    ACCOUNT_ID: stack.account_id,
    TEAM_ID: stack.team_id,
    PROJECT_ID: stack.project_id,
    TEMPLATE_ID: stack.template_id,
    ...addresses,
    ...Object.fromEntries(embedded.map((name) => [EMBEDDED_ADDRESSES[name], addresses[name]])),
  };
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
};

export const exportLines = (environment: Readonly<Record<string, string>>): string =>
  Object.entries(environment)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');
