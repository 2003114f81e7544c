import type { Topic } from '../event-log/topics.ts';

/** The Avro namespace of each topic's records; null if they are not Avro. */
export const NAMESPACES: { readonly [T in Topic]: string | null } = {
  'render-events': 'rendering.events',
  'render-status': 'rendering.status',
  'catalogue-events': 'rendering.catalogue',
  'render-commands': 'rendering.commands',
  'worker-heartbeats': 'rendering.heartbeats',
  'webhook-events': 'rendering.webhooks',
  deployment: null,
};
