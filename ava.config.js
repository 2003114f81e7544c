/** Those that take longest begin first, so that none of them is left alone at the end. */
const LONGEST = [
  'chaos/service-faults',
  'chaos/relay-faults',
  'integration/webhook-relay/deliveries',
  'integration/cli/catalogue',
  'e2e/',
  'integration/render-workers/render-workers',
  'integration/store/forms',
  'integration/engine/codecs',
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
