/**
 * Those that take longest begin first, so that none of them is left alone at the end. Among the first, those that
 * mostly wait lie between those that fill a core.
 */
const LONGEST = [
  'chaos/relay-faults',
  'integration/cli/catalogue',
  'e2e/demo',
  'chaos/service-faults',
  'chaos/frozen-servers',
  'integration/render-workers/render-workers',
  'integration/store/forms-in-use',
  'chaos/stack',
  'e2e/service',
  'integration/api/requests',
  'integration/api/fuzz',
  'chaos/projectors',
  'integration/engine/codecs',
  'integration/webhook-relay/deliveries',
  'chaos/',
  'e2e/',
  'integration/render-workers/',
  'integration/engine/goldens/sources',
  'integration/api/',
  'integration/platform/event-log',
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
