import type { KeyObject } from 'node:crypto';
import * as t from 'io-ts';
import { parseVerifierKey, signingKeyOf, type VerifierKey } from '../../proofs/notes/keys.ts';
import { type OpeningKey, openingKey, sealingKey } from '../secrets/key-pair.ts';

/** The codec's name describes the valid form and becomes part of the message. */
const form = <A>(name: string, parse: (text: string) => A | undefined): t.Type<A, string, string> =>
  new t.Type<A, string, string>(
    name,
    (_value): _value is A => true,
    (text, context) => {
      const value = parse(text);
      return value === undefined ? t.failure(text, context) : t.success(value);
    },
    String,
  );

export const text = form('any text', (value) => value);

export const integerBetween = (low: number, high: number) =>
  form(`a whole number from ${low} to ${high}`, (value) => {
    const number = Number(value);
    return /^-?\d{1,15}$/.test(value) && number >= low && number <= high ? number : undefined;
  });

export const oneOf = <A extends string>(...values: readonly A[]) =>
  form(`one of ${values.join(', ')}`, (value) => values.find((candidate) => candidate === value));

export const flag = form('1 or 0', (value) => (value === '1' ? true : value === '0' ? false : undefined));

const parsedUrl = (value: string): URL | undefined => (URL.canParse(value) ? new URL(value) : undefined);

export const httpUrl = form('an http or https URL', (value) =>
  ['http:', 'https:'].includes(parsedUrl(value)?.protocol ?? '') ? value.replace(/(?<!\/)\/+$/, '') : undefined,
);

export const mongodbUrl = form('a mongodb:// or mongodb+srv:// URL', (value) =>
  /^mongodb(\+srv)?:\/\/./.test(value) ? value : undefined,
);

export const brokers = form('host:port, or several of them separated by commas', (value) => {
  const parts = value.split(',').map((part) => part.trim());
  return parts.every((part) => /^[^\s:/,]+:\d{1,5}$/.test(part)) ? parts : undefined;
});

export const names = form('one name, or several separated by commas', (value) => {
  const parts = value.split(',').map((part) => part.trim());
  return parts.every((part) => part.length > 0) ? parts : undefined;
});

/** Null: any port. */
export const ports = form(
  '`any`, or one port, or several separated by commas',
  (value): readonly number[] | null | undefined => {
    if (value === 'any') return null;
    const parts = value.split(',').map((part) => part.trim());
    const isPort = (part: string): boolean => /^\d{1,5}$/.test(part) && Number(part) >= 1 && Number(part) <= 65_535;
    return parts.every(isPort) ? parts.map(Number) : undefined;
  },
);

/** A web origin as browsers send it; `*` for every origin. */
export const origins = form(
  '`*`, or one origin like https://app.example.com, or several separated by commas',
  (value) => {
    const parts = value.split(',').map((part) => part.trim());
    return value === '*' || parts.every((part) => parsedUrl(part)?.origin === part) ? parts : undefined;
  },
);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** With plain http, an eavesdropper could take over the sign-in. Loopback is exempt. */
const isSecure = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));

export const secureUrl = form('an https URL without query (http only on loopback)', (value) => {
  const url = parsedUrl(value);
  return url !== undefined && isSecure(url) && !/[?#@]/.test(value) ? value : undefined;
});

/** Browsers resolve these names to their own machine (RFC 6761). Node asks the system, which may answer differently. */
const BELOW_LOCALHOST = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.localhost$/;

export const secureOrigin = form(
  'an https origin like https://video.example.com, without a path (http only on loopback)',
  (value) => {
    const url = parsedUrl(value);
    const is_own = url?.protocol === 'http:' && BELOW_LOCALHOST.test(url.hostname);
    return url !== undefined && (is_own || isSecure(url)) && url.origin === value.replace(/\/$/, '')
      ? url.origin
      : undefined;
  },
);

export const scopes = form('openid, and further scopes after spaces', (value) =>
  /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(value) && value.split(' ').includes('openid') ? value : undefined,
);

const MIN_SECRET = 32;

export const secretText = form(`at least ${MIN_SECRET} characters`, (value) =>
  value.length >= MIN_SECRET ? value : undefined,
);

export const publicKey = form('the base64 of an X25519 public key (SubjectPublicKeyInfo, MCow…)', sealingKey);

const MAX_PRIVATE_KEYS = 8;

export const privateKeys = form(
  `one X25519 private key in base64 (PKCS #8, MC4C…), or up to ${MAX_PRIVATE_KEYS} separated by commas`,
  (value): readonly OpeningKey[] | undefined => {
    const keys = value.split(',').map((part) => openingKey(part.trim()));
    const valid = keys.flatMap((key) => key ?? []);
    return keys.length <= MAX_PRIVATE_KEYS && valid.length === keys.length ? valid : undefined;
  },
);

export const signingKey = form(
  'the base64 of an Ed25519 private key (PKCS #8, MC4C…)',
  (value): KeyObject | undefined => signingKeyOf(value),
);

export const verifierKeys = form(
  'one key as renderctl notary key shows it (name+id+key), or several separated by commas',
  (value): readonly VerifierKey[] | undefined => {
    const keys = value.split(',').flatMap((part) => parseVerifierKey(part.trim()) ?? []);
    return keys.length === value.split(',').length && keys.every(({ type }) => type === 'note') ? keys : undefined;
  },
);

const witnessOf = (text: string): { readonly key: VerifierKey; readonly url: string } | undefined => {
  const [, before = '', after = ''] = /^(\S+) +(\S+)$/.exec(text.trim()) ?? [];
  const key = parseVerifierKey(before);
  const url = parsedUrl(after);
  return key?.type === 'cosignature' && url !== undefined && isSecure(url)
    ? { key, url: after.replace(/(?<!\/)\/+$/, '') }
    : undefined;
};

export const witnesses = form(
  'the key of a witness (name+id+key), a space and its https URL (http only on loopback), or several of these separated by commas',
  (value) => {
    const parts = value.split(',');
    const found = parts.flatMap((part) => witnessOf(part) ?? []);
    return found.length === parts.length ? found : undefined;
  },
);

export const originName = form(
  'up to 100 letters, digits, dots, hyphens and underscores, in parts between slashes',
  (value) => (value.length <= 100 && /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(value) ? value : undefined),
);

export const topicPrefix = form('at most 100 letters, digits, dots, hyphens and underscores', (value) =>
  /^[A-Za-z0-9._-]{1,100}$/.test(value) ? value : undefined,
);

export const blobContainerName = form('3 to 63 lowercase letters, digits and single hyphens', (value) =>
  /^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(value) ? value : undefined,
);

export const databaseName = form('a name of at most 63 letters, digits, hyphens and underscores', (value) =>
  /^[A-Za-z0-9_-]{1,63}$/.test(value) ? value : undefined,
);

export const blobConnectionString = form(
  'a connection string with BlobEndpoint (or AccountName) and AccountKey',
  (value) =>
    /(^|;)AccountKey=./.test(value) && /(^|;)(BlobEndpoint=https?:|AccountName=)./.test(value) ? value : undefined,
);
