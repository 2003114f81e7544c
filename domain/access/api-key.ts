/*
 * The format of an API key: `vr_`, 256 random bits as 43 base-62 digits, and a checksum of 6 digits. The checksum
 * detects a typing error without a store query. The service stores only the key's SHA-256.
 */

const PREFIX = 'vr_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
/** The service stores these first characters of the key, so that people can tell their keys apart. */
const SHOWN_LENGTH = 7;
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * SHA-256 of the text's UTF-8 bytes, in lowercase hex. The caller passes this function, because the domain imports no
 * hash library.
 */
export type Sha256Hex = (text: string) => string;

/** `key` is shown once and never stored. `ApiKeyIssued` stores the other members. */
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

/** @param random exactly 32 bytes of a cryptographic generator; any other length returns null */
export const mintApiKey = (random: Uint8Array, sha256Hex: Sha256Hex): MintedKey | null => {
  if (random.length !== SECRET_BYTES) return null;
  const value = random.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const body = `${PREFIX}${base62(value, SECRET_LENGTH)}`;
  const key = `${body}${checksumOf(body, sha256Hex)}`;
  return { key, secret_sha256: sha256Hex(key), prefix: key.slice(0, SHOWN_LENGTH), last4: key.slice(-4) };
};

/** The SHA-256 by which the store finds a key; null if the text is not a well-formed key. */
export const apiKeyHash = (text: string, sha256Hex: Sha256Hex): string | null => {
  if (!FORM.test(text)) return null;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return text.slice(-CHECKSUM_LENGTH) === checksumOf(body, sha256Hex) ? sha256Hex(text) : null;
};

const BEARER = /^Bearer +([^\s]+) *$/i;

export const bearerToken = (header: string | undefined): string | null => BEARER.exec(header ?? '')?.[1] ?? null;
