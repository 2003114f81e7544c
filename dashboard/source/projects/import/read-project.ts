import { contentTypeOf } from '../../uploads/file-types.ts';
import { parseDocument } from '../document/parse-document.ts';
import type { DocumentFault } from '../document/refusals.ts';
import { FolderFault, type FolderFile, PROJECT_FILE, projectFiles } from './folder.ts';

type Document = { readonly [name: string]: unknown };

/** A file of a project, and the indices of the assets that have it. */
export type AssetFile = { readonly path: string; readonly file: FolderFile; readonly assets: readonly number[] };

export type LocalProject = {
  readonly name: string | null;
  /** The text of `project.json`. */
  readonly text: string;
  readonly document: Document;
  readonly files: readonly AssetFile[];
  readonly faults: readonly DocumentFault[];
};

/** Larger documents exceed the limit of a request. */
const MAX_TEXT_BYTES = 1024 ** 2;
const MAX_FILE_BYTES = 2 * 1024 ** 3;

const entriesOf = ({ assets }: Document): readonly unknown[] => (Array.isArray(assets) ? assets : []);

const isObject = (value: unknown): value is Document => typeof value === 'object' && value !== null;

const plainPath = (path: string): string => path.normalize('NFC').replace(/^(?:\.\/){1,20}/, '');

const missing = (path: string, files: ReadonlyMap<string, FolderFile>): string => {
  const lower = path.toLowerCase();
  const similar = Array.from(files.keys()).find((one) => one.toLowerCase() === lower);
  return similar === undefined ? 'is not in the folder' : `is not in the folder; its file is “${similar}”`;
};

const fileFault = (path: string, { size_bytes }: FolderFile): string | null => {
  if (contentTypeOf(path) === null) return 'has a type that cannot be used';
  if (size_bytes === 0) return 'is empty';
  return size_bytes > MAX_FILE_BYTES ? 'is larger than 2 GiB' : null;
};

/** The files that the assets of a document name. Assets without a `file` stay as they are. */
export const assetFiles = (
  document: Document,
  files: ReadonlyMap<string, FolderFile>,
): Pick<LocalProject, 'files' | 'faults'> => {
  const found = new Map<string, AssetFile>();
  const faults: DocumentFault[] = [];
  for (const [index, entry] of entriesOf(document).entries()) {
    if (!isObject(entry) || !('file' in entry)) continue;
    const place = `assets[${index}].file`;
    if (typeof entry.file !== 'string') {
      faults.push({ path: place, message: 'must be the path of a file' });
      continue;
    }
    const path = plainPath(entry.file);
    const file = files.get(path);
    const message = file === undefined ? missing(path, files) : fileFault(path, file);
    if (message !== null) faults.push({ path: place, message: `“${path.slice(0, 200)}” ${message}` });
    if (message === null && file !== undefined)
      found.set(path, { path, file, assets: [...(found.get(path)?.assets ?? []), index] });
  }
  return { files: Array.from(found.values()), faults };
};

/** Reads `project.json`, and finds the files of its assets. Rejects with {@link FolderFault}. */
export const readProject = async (chosen: readonly FolderFile[]): Promise<LocalProject> => {
  const files = projectFiles(chosen);
  const file = files.get(PROJECT_FILE);
  if (file === undefined || file.size_bytes > MAX_TEXT_BYTES)
    throw new FolderFault('The project.json is larger than 1 MiB, the maximum.');
  // The text of a blob has no byte order mark.
  const text = await (await file.read()).text();
  const parsed = parseDocument(text);
  if ('fault' in parsed) throw new FolderFault(`project.json cannot be read. ${parsed.fault}`);
  const { document } = parsed;
  const name = typeof document.name === 'string' ? document.name : null;
  return { name, text, document, ...assetFiles(document, files) };
};

/** The document with uploads in the place of files. @param uploads by the index of the asset */
export const documentWithUploads = (document: Document, uploads: ReadonlyMap<number, string>): Document => ({
  ...document,
  ...(Array.isArray(document.assets) && {
    assets: entriesOf(document).map((entry, index) => {
      const upload = uploads.get(index);
      if (upload === undefined || !isObject(entry)) return entry;
      const { file, ...rest } = entry;
      return { ...rest, upload };
    }),
  }),
});
