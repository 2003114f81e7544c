/**
 * Those that take longest begin first, so that none of them is left alone at the end. Those that mostly wait, as those
 * of chaos do, lie between those that fill a core, so that at any time about two of four do.
 */
const LONGEST = [
  'unit-tests/simulation',
  'unit-tests/webhook-relay',
  'chaos/relay-faults',
  'e2e/demo',
  // It keeps the shared store busy for seconds: beside those that have one of their own.
  'integration/api/lists',
  'integration/engine/goldens/sources',
  'chaos/service-faults',
  'integration/cli/catalogue',
  'brokers/',
  'integration/render-workers/render-workers',
  'integration/engine/codecs',
  'chaos/frozen-servers',
  'integration/store/forms-in-use',
  'chaos/soak',
  'integration/engine/goldens/',
  'chaos/stack',
  'integration/api/requests',
  'e2e/service',
  'integration/api/fuzz',
  'chaos/projectors',
  'integration/engine/hostile',
  'integration/api/stopped-ledger',
  'integration/engine/timing',
  'chaos/generations',
  'integration/engine/sound',
  'integration/webhook-relay/deliveries',
  'integration/api/restored',
  'integration/engine/text',
  'integration/render-workers/remote-media',
  'chaos/relay-plan',
  'integration/engine/faults',
  'integration/render-workers/',
  'integration/platform/event-log',
  'integration/engine/resume',
  'chaos/relay-state',
  'e2e/',
  'integration/engine/animated',
  'integration/api/',
  'integration/cli/',
];

const rank = (file) => {
  const found = LONGEST.findIndex((part) => file.includes(`/${part}`));
  return found === -1 ? LONGEST.length : found;
};

export default {
  extensions: ['ts'],
  workerThreads: false,
  sortTestFiles: (one, other) => rank(one) - rank(other) || one.localeCompare(other),
};
