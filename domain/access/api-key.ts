/*
 * An API key as a person sees it: `vr_`, 256 random bits as 43 base-62 digits, and 6 digits of checksum, so that a key
 * with a typing error is recognised without a query of the store. Only its sha256 is kept.
 */

const PREFIX = 'vr_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
/** How much of its beginning is kept, so that a person can tell keys apart. */
const SHOWN_LENGTH = 7;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** sha256 of the text's UTF-8 bytes, in lowercase hex. Passed in, as the domain imports no library of hashes. */
export type Sha256Hex = (text: string) => string;

/** `key` is shown once and stored nowhere; the rest goes into `ApiKeyIssued`. */
export type MintedKey = {
  readonly key: string;
  readonly secret_sha256: string;
  readonly prefix: string;
  readonly last4: string;
};

const base62 = (value: bigint, length: number): string => {
  const digits: string[] = [];
  for (let rest = value; digits.length < length; rest /= 62n) digits.push(DIGITS[Number(rest % 62n)] ?? '');
  return digits.reverse().join('');
};

const checksumOf = (body: string, sha256Hex: Sha256Hex): string =>
  base62(BigInt(`0x${sha256Hex(body).slice(0, 8)}`), CHECKSUM_LENGTH);

/** @param random exactly 32 bytes of a cryptographic generator; null when there are more or fewer */
export const mintApiKey = (random: Uint8Array, sha256Hex: Sha256Hex): MintedKey | null => {
  if (random.length !== SECRET_BYTES) return null;
  const value = random.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const body = `${PREFIX}${base62(value, SECRET_LENGTH)}`;
  const key = `${body}${checksumOf(body, sha256Hex)}`;
  return { key, secret_sha256: sha256Hex(key), prefix: key.slice(0, SHOWN_LENGTH), last4: key.slice(-4) };
};

/** The sha256 to look a key up by; null when the text cannot be a key of ours. */
export const apiKeyHash = (text: string, sha256Hex: Sha256Hex): string | null => {
  if (!FORM.test(text)) return null;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text.slice(-CHECKSUM_LENGTH) === checksumOf(body, sha256Hex) ? sha256Hex(text) : null;
};

const BEARER = /^Bearer +([^\s]+) *$/i;

/** The credentials of an `Authorization` header; null unless it is one Bearer token. */
export const bearerToken = (header: string | undefined): string | null => BEARER.exec(header ?? '')?.[1] ?? null;
