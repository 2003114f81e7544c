import { isInvisible } from '../../domain/shape/text-rules.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { MAX_NAME_UNITS } from '../../schemas/http/management/keys.ts';

/** What a person types to confirm an erasure. */
type Confirmation = { readonly name: string | null; readonly id: string | null };

/** What is to be erased. `name` is null where the service does not know it (any more). */
type Confirmed = { readonly kind: 'account' | 'project'; readonly id: string; readonly name: string | null };

/**
 * Whether an input of a page takes the name. Names from before the rules may be empty, invisible or very long, or have line
 * breaks.
 */
const canBeTyped = (name: string): boolean =>
  !isInvisible(name) && name.length <= MAX_NAME_UNITS && !/\p{Cc}/u.test(name.trim());

const comparable = (name: string): string => name.trim().normalize('NFC');

/**
 * Why the request does not confirm the erasure; null where it does. The name confirms. The id, which stands in the address
 * anyway, confirms only where nobody can type the name.
 */
export const confirmationFault = ({ kind, id, name }: Confirmed, given: Confirmation): ApiError | null => {
  const invalid = (message: string): ApiError => ({ tag: 'invalid', message });
  if (name !== null && canBeTyped(name)) {
    if (given.name === null) return invalid(`name: is required, because you cannot undo the erasure. Reload the page`);
    return comparable(given.name) === comparable(name)
      ? null
      : invalid(`name: must be the name of the ${kind} to erase`);
  }
  if (given.id === id) return null;
  return invalid(`${kind}_id: must be the ID of the ${kind} to erase, because its name cannot be typed`);
};
