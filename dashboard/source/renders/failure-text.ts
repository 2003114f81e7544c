import type { Schemas } from '../api/client.ts';
import { firstUpper, wordsOf } from '../shown/first-upper.ts';

export type Failure = NonNullable<Schemas['Transition']['failure']>;

/** Why the file of a URL could not be fetched, by the code of the failure. */
const FETCH_REASONS: Readonly<Record<string, string>> = {
  media_name_not_found: 'unknown host',
  media_connection_refused: 'connection refused',
  media_connection_reset: 'connection closed',
  media_unreachable: 'host unreachable',
  media_timeout: 'timed out',
  media_tls: 'invalid certificate',
  media_address_refused: 'not a public address',
};

const VALUES = 'values.';

/** `values.product_shot` as "Product shot". @param labels the labels of the template's fields, by key */
export const fieldLabel = (field: string, labels: ReadonlyMap<string, string>): string => {
  const key = field.startsWith(VALUES) ? field.slice(VALUES.length) : field;
  return labels.get(key) ?? firstUpper(key.replaceAll(/[_.-]+/g, ' '));
};

/** Why a render failed, as a sentence that begins with the label of the field. */
export const failureText = (
  { code, message, field }: Pick<Failure, 'code' | 'message' | 'field'>,
  labels: ReadonlyMap<string, string> = new Map(),
): string => {
  if (code === 'cancelled') return 'No credits charged.';
  if (field === undefined) return `${firstUpper(message).replace(/\.$/, '')}.`;
  const label = fieldLabel(field, labels);
  const reason = FETCH_REASONS[code];
  if (reason !== undefined) return `${label}: its address could not be reached (${reason}).`;
  const rest = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  return `${label}: ${rest.replace(/\.$/, '')}.`;
};

export const failureTitle = ({ code }: Pick<Failure, 'code'>): string =>
  code === 'cancelled' ? 'Cancelled.' : 'This render failed.';

/** `text_too_long` as "Text too long". */
export const codeText = (code: string): string => {
  const reason = FETCH_REASONS[code];
  return reason === undefined ? wordsOf(code) : `Address not reached: ${reason}`;
};
