import type { Topic } from '../event-log/topics.ts';

/** Null for topics without Avro records. */
export const AVRO_NAMESPACES: { readonly [T in Topic]: string | null } = {
  'render-events': 'rendering.events',
  'render-status': 'rendering.status',
  'catalogue-events': 'rendering.catalogue',
  'render-commands': 'rendering.commands',
  'worker-heartbeats': 'rendering.heartbeats',
  'webhook-events': 'rendering.webhooks',
  deployment: null,
};
