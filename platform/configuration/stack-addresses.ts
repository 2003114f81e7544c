export const SERVER_ADDRESSES = [
  'KAFKA_BROKERS',
  'SCHEMA_REGISTRY_URL',
  'MONGODB_URL',
  'AZURE_STORAGE_CONNECTION_STRING',
] as const;
export type AddressVariable = (typeof SERVER_ADDRESSES)[number];

/**
 * `renderctl env` sets these variables to the same values if the embedded stack started the server. Such an address is
 * valid only while the stack runs. Equal values therefore mean that the server belongs to the stack.
 */
export const EMBEDDED_ADDRESSES: Readonly<Record<AddressVariable, string>> = {
  KAFKA_BROKERS: 'STACK_KAFKA',
  SCHEMA_REGISTRY_URL: 'STACK_REGISTRY_URL',
  MONGODB_URL: 'STACK_MONGODB_URL',
  AZURE_STORAGE_CONNECTION_STRING: 'STACK_BLOB_CONNECTION_STRING',
};

type Environment = Readonly<Record<string, string | undefined>>;

const isSet = (env: Environment, name: string): boolean => env[name] !== undefined && env[name] !== '';

/** The addresses that `renderctl env` set and that did not change since. */
export const embeddedAddresses = (env: Environment): readonly AddressVariable[] =>
  SERVER_ADDRESSES.filter((name) => isSet(env, name) && env[name] === env[EMBEDDED_ADDRESSES[name]]);

export const externalAddresses = (env: Environment): readonly AddressVariable[] => {
  const embedded = embeddedAddresses(env);
  return SERVER_ADDRESSES.filter((name) => isSet(env, name) && !embedded.includes(name));
};
