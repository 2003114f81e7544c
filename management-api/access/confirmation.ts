import { isInvisible } from '../../domain/shape/text-rules.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import { MAX_NAME_UNITS } from '../../schemas/http/management/keys.ts';

type Confirmation = { readonly name: string | null; readonly id: string | null };

/** `name` is null if the name is unknown or erased. */
type Confirmed = { readonly kind: 'account' | 'project'; readonly id: string; readonly name: string | null };

/**
 * Whether a person can type the name. Names older than the naming rules may be empty, invisible, very long, or contain
 * line breaks.
 */
const canBeTyped = (name: string): boolean =>
  !isInvisible(name) && name.length <= MAX_NAME_UNITS && !/\p{Cc}/u.test(name.trim());

const comparable = (name: string): string => name.trim().normalize('NFC');

/**
 * The person must type the name to confirm. Only if the name cannot be typed, the id confirms instead: it is in the
 * URL, so a page can send it without the person.
 */
export const confirmationFault = ({ kind, id, name }: Confirmed, given: Confirmation): ApiError | null => {
  const invalid = (param: string, message: string): ApiError =>
    invalidInput({ code: 'invalid_field', param, message: `${param}: ${message}` });
  if (name !== null && canBeTyped(name)) {
    if (given.name === null) return invalid('name', 'is required to confirm the erasure. Reload the page');
    return comparable(given.name) === comparable(name) ? null : invalid('name', `must match the name of the ${kind}`);
  }
  if (given.id === id) return null;
  return invalid(`${kind}_id`, `must match the ID of the ${kind}, because its name cannot be typed`);
};
