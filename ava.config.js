/** Those that take longest begin first, so that none of them is left alone at the end. */
const LONGEST = ['integration/webhook-relay/deliveries', 'chaos/service-faults', 'integration/cli/catalogue', 'e2e/'];

const rank = (file) => {
  const found = LONGEST.findIndex((part) => file.includes(`test/${part}`));
  return found === -1 ? LONGEST.length : found;
};

export default {
  extensions: ['ts'],
  workerThreads: false,
  sortTestFiles: (one, other) => rank(one) - rank(other) || one.localeCompare(other),
};
