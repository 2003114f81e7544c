import { type AssetKind, AssetKind as KIND } from '../../domain/composition/assets.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import { httpsUrlFault } from '../../domain/https-url.ts';
import { didYouMean } from '../../domain/near-name.ts';
import { nameFault } from '../../domain/shape/text-rules.ts';
import { isObject } from '../../schemas/http/shapes.ts';

/** An asset of a document that comes by HTTP, before the service has looked for its file. */
export type AssetEntry = {
  readonly path: string;
  /** As it was sent; undefined if it was not sent. */
  readonly id: unknown;
  readonly kind: unknown;
  readonly sha256: string | null;
  /** The id of an upload, in the place of a hash. */
  readonly upload: string | null;
  /** An `https://` URL, in the place of a hash. */
  readonly url: string | null;
  /** Null for the name that the file was stored with. */
  readonly file_name: string | null;
};

/** Members of a stored asset. The service ignores those that describe the file, because it knows the file. */
const MEMBERS = [
  'id',
  'kind',
  'sha256',
  'upload',
  'url',
  'file_name',
  'size_bytes',
  'content_type',
  'font_family',
  'font_covers',
];

/** The members that name a file, at most one of them. */
const SOURCES = ['upload', 'url', 'sha256'];

const SHA256 = /^[0-9a-f]{64}$/;
const MAX_FILE_NAME = 500;

const REMEDY =
  'give its https:// URL as url, upload it and give the id as upload, or give the sha256 of an asset that a project of your teams has';

const MESSAGES = {
  file: `names a file of your computer, which the service cannot read: ${REMEDY}`,
  sha256: 'must be a SHA-256 in 64 lower case hex digits',
  upload: 'must be the id of an upload',
  two_sources: 'is one of several files: give only one of upload, url and sha256',
  missing: `is required: ${REMEDY}`,
  file_name: `must be 1 to ${MAX_FILE_NAME} characters`,
};

const fileNameFault = (name: unknown): string | null => {
  if (name === undefined) return null;
  if (typeof name !== 'string' || name === '' || name.length > MAX_FILE_NAME) return MESSAGES.file_name;
  return nameFault(name);
};

const sourceFaults = (sent: Readonly<Record<string, unknown>>, path: string): readonly Fault[] => {
  if (sent.file !== undefined) return [{ path: `${path}.file`, message: MESSAGES.file }];
  const given = SOURCES.filter((name) => sent[name] !== undefined);
  if (given.length > 1) return [{ path: `${path}.${given[0]}`, message: MESSAGES.two_sources }];
  if (sent.url !== undefined) {
    const fault = typeof sent.url === 'string' ? httpsUrlFault(sent.url) : 'must be a string';
    return fault === null ? [] : [{ path: `${path}.url`, message: fault }];
  }
  if (sent.upload !== undefined)
    return typeof sent.upload === 'string' && sent.upload !== ''
      ? []
      : [{ path: `${path}.upload`, message: MESSAGES.upload }];
  if (sent.sha256 === undefined) return [{ path: `${path}.sha256`, message: MESSAGES.missing }];
  const is_hash = typeof sent.sha256 === 'string' && SHA256.test(sent.sha256);
  return is_hash ? [] : [{ path: `${path}.sha256`, message: MESSAGES.sha256 }];
};

export type ReadEntry = { readonly entry: AssetEntry | null; readonly faults: readonly Fault[] };

/** Null for a value that is no object: the decoder of the document reports it. */
export const readAssetEntry = (sent: unknown, index: number): ReadEntry => {
  if (!isObject(sent)) return { entry: null, faults: [] };
  const path = `assets[${index}]`;
  const unknown = Object.keys(sent).filter((name) => !MEMBERS.includes(name) && name !== 'file');
  const of_name = fileNameFault(sent.file_name);
  const of_source = sourceFaults(sent, path);
  return {
    entry: {
      ...{ path, id: sent.id, kind: sent.kind },
      sha256: of_source.length === 0 && typeof sent.sha256 === 'string' ? sent.sha256 : null,
      url: of_source.length === 0 && typeof sent.url === 'string' ? sent.url : null,
      upload: of_source.length === 0 && typeof sent.upload === 'string' ? sent.upload : null,
      file_name: of_name === null && typeof sent.file_name === 'string' ? sent.file_name : null,
    },
    faults: [
      ...unknown.map((name) => ({
        ...{ path: `${path}.${name}`, message: `is not a known property${didYouMean(name, MEMBERS)}` },
      })),
      ...of_source,
      ...(of_name === null ? [] : [{ path: `${path}.file_name`, message: of_name }]),
    ],
  };
};

export const kindOf = ({ kind }: AssetEntry): AssetKind | null => (KIND.is(kind) ? kind : null);
