import { isInvisible, nameFault } from '../../domain/shape/text-rules.ts';
import type { Profile } from '../../schemas/blobs/payloads.ts';

const MAX_NAME = 100;
const EMAIL = /^[^\s@\p{Cc}]{1,200}@[^\s@\p{Cc}]{1,200}$/u;

const statedText = (claim: unknown): string | null => {
  if (typeof claim !== 'string' || !claim.isWellFormed()) return null;
  const text = claim.trim();
  return isInvisible(text) || nameFault(text) !== null ? null : text;
};

/**
 * The name and the address in an ID token. People choose their name at most providers, so it does not identify them. An
 * address that the provider did not verify is dropped.
 */
export const statedProfile = (claims: Readonly<Record<string, unknown>>): Profile => {
  const name = statedText(claims.name);
  const email = claims.email_verified === false ? null : statedText(claims.email);
  return {
    name: name === null ? null : [...name].slice(0, MAX_NAME).join(''),
    email: email !== null && EMAIL.test(email) ? email : null,
  };
};
