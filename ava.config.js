/**
 * Those that take longest begin first, so that none of them is left alone at the end. Those that mostly wait, as those
 * of chaos do, lie between those that fill a core, so that at any time about two of three do.
 */
const LONGEST = [
  'unit-tests/simulation',
  'unit-tests/expressions',
  'unit-tests/notary',
  'unit-tests/gateway',
  'unit-tests/webhook-relay',
  'e2e/service',
  'integration/engine/codecs',
  'integration/api/lists',
  'integration/render-workers/render-workers',
  'e2e/demo',
  'integration/cli/catalogue',
  'integration/engine/goldens/',
  'integration/render-workers/remote-media',
  'chaos/soak',
  'integration/engine/hostile.',
  'chaos/projectors',
  'integration/projectors/rebuild',
  'integration/engine/sound',
  'integration/webhook-relay/',
  'integration/api/gateway',
  'integration/management/',
  'integration/api/requests',
  'integration/retention/',
  'integration/notary/',
  'integration/recorded',
  'integration/render-workers/thumbnails',
  'integration/engine/timing',
  'integration/cli/renders',
  'integration/engine/hostile-pictures',
  'integration/store/forms.',
  'integration/engine/resume',
  'integration/api/',
  'chaos/relay-state',
  'integration/engine/joins',
  'e2e/',
  'integration/platform/stores',
  'integration/render-workers/',
  'integration/engine/text',
  'integration/engine/faults',
];

const rank = (file) => {
  const found = LONGEST.findIndex((part) => file.includes(`/${part}`));
  return found === -1 ? LONGEST.length : found;
};

export default {
  extensions: ['ts'],
  workerThreads: false,
  require: ['./stack/testing/without-source-maps.ts'],
  sortTestFiles: (one, other) => rank(one) - rank(other) || one.localeCompare(other),
};
