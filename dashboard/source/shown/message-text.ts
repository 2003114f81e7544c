import { asSentence } from './first-upper.ts';

/** The labels of the inputs whose faults the service names by their member. */
const LABELS: Readonly<Record<string, string>> = {
  url: 'The URL',
  name: 'The name',
  events: 'The events',
  user_id: 'The person',
  role: 'The role',
};

const VERBS = /^(?:must|is|are|has|does|may)\b/;

/**
 * A refusal of the service as a sentence: `url: must begin with https://` as "The URL must begin with https://.", `url:
 * 10.0.0.1 is a private address` as "10.0.0.1 is a private address."
 */
export const messageText = (message: string): string => {
  const [, member = '', rest = ''] = /^([a-z_]{1,40}): (.+)$/s.exec(message) ?? [];
  const label = Object.hasOwn(LABELS, member) ? LABELS[member] : undefined;
  if (label === undefined) return asSentence(message);
  return asSentence(VERBS.test(rest) ? `${label} ${rest}` : rest);
};
