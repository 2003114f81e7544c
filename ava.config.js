/**
 * Those that take longest begin first, so that none of them is left alone at the end. Among the first, those that
 * mostly wait lie between those that fill a core, and those of chaos apart from each other.
 */
const LONGEST = [
  'chaos/relay-faults',
  'e2e/demo',
  // It keeps the shared store busy for seconds: beside those that have one of their own.
  'integration/api/lists',
  'integration/cli/catalogue',
  'chaos/service-faults',
  'chaos/frozen-servers',
  'brokers/',
  'integration/render-workers/render-workers',
  'integration/store/forms-in-use',
  'chaos/soak',
  'chaos/stack',
  'e2e/service',
  'integration/api/requests',
  'integration/api/fuzz',
  'chaos/projectors',
  'integration/engine/codecs',
  'integration/api/stopped-ledger',
  'integration/api/restored',
  'integration/webhook-relay/deliveries',
  'chaos/generations',
  'integration/render-workers/remote-media',
  'integration/engine/goldens/sources',
  'chaos/relay-plan',
  'integration/render-workers/',
  'integration/platform/event-log',
  'chaos/relay-state',
  'e2e/',
  'integration/api/',
];

const rank = (file) => {
  const found = LONGEST.findIndex((part) => file.includes(`test/${part}`));
  return found === -1 ? LONGEST.length : found;
};

export default {
  extensions: ['ts'],
  workerThreads: false,
  sortTestFiles: (one, other) => rank(one) - rank(other) || one.localeCompare(other),
};
