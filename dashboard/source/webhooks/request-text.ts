import type { Schemas } from '../api/client.ts';

/** With line breaks; a text that is not JSON as it is. */
export const prettyJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const MS_PER_S = 1_000;

/** The headers of the last attempt. The service stores no signatures. */
export const requestHeaders = ({
  id,
  timestamp,
  last_attempt,
  planned_at,
}: Pick<Schemas['LoggedDelivery'], 'id' | 'timestamp' | 'last_attempt' | 'planned_at'>): readonly (readonly [
  string,
  string,
])[] => [
  ['Content-Type', 'application/json'],
  ['User-Agent', 'Service-Webhooks/1.0'],
  ['webhook-id', id],
  ['webhook-timestamp', String(Math.floor((last_attempt?.started_at ?? planned_at) / MS_PER_S))],
  ['webhook-signature', 'v1,… (not stored)'],
  ['X-Webhook-ID', id],
  ['X-Webhook-Timestamp', String(timestamp)],
  ['X-Webhook-Signature', '… (not stored)'],
];
