/** A file of a folder or a ZIP file. Its path begins below the folder. */
export type FolderFile = {
  readonly path: string;
  readonly size_bytes: number;
  readonly read: () => Promise<File>;
};

/** Why a folder or a ZIP file cannot be imported, as a sentence. */
export class FolderFault extends Error {
  override readonly name = 'FolderFault';
}

export const MAX_FILES = 2_000;
export const PROJECT_FILE = 'project.json';

const isControl = (character: string): boolean => character < ' ' || character === '\u007f';

/** Why a path does not name a file below the folder; null if it does. */
const pathFault = (path: string): string | null => {
  if (path.length > 500) return 'is longer than 500 characters';
  if (Array.from(path).some(isControl)) return 'has control characters';
  if (path.includes('\\')) return 'has a backslash';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is an absolute path';
  const steps = path.split('/');
  if (steps.includes('..')) return 'leads out of the folder';
  return steps.some((step) => step === '' || step === '.') ? 'is not a plain path' : null;
};

/** Systems add such files to folders and ZIP files. */
const isHidden = (path: string): boolean =>
  path.split('/').some((step) => step.startsWith('.') || step === '__MACOSX' || step === 'Thumbs.db');

const shown = (path: string): string => `“${path.length > 120 ? `${path.slice(0, 120)}…` : path}”`;

/** The folder of the only project file; the nearest to the top if folders within it have project files too. */
const projectFolder = (paths: Iterable<string>): string => {
  const folders = Array.from(paths)
    .filter((path) => path === PROJECT_FILE || path.endsWith(`/${PROJECT_FILE}`))
    .map((path) => path.slice(0, -PROJECT_FILE.length));
  const depth = (folder: string): number => folder.split('/').length;
  const top = Math.min(...folders.map(depth));
  const [folder, other] = folders.filter((one) => depth(one) === top);
  if (folder === undefined) throw new FolderFault('There is no project.json here. Choose the folder that contains it.');
  if (other !== undefined)
    throw new FolderFault(
      `There are several projects, for example in ${shown(folder)} and ${shown(other)}. Choose one.`,
    );
  return folder;
};

/**
 * The files of the project, by their path from its `project.json`. Unicode forms of names differ between systems, so all
 * paths have the composed form. Throws {@link FolderFault}.
 */
export const projectFiles = (files: readonly FolderFile[]): ReadonlyMap<string, FolderFile> => {
  if (files.length > MAX_FILES) throw new FolderFault(`There are more than ${MAX_FILES} files. Remove some.`);
  const found = new Map<string, FolderFile>();
  for (const file of files) {
    const path = file.path.normalize('NFC');
    const fault = pathFault(path);
    if (fault !== null) throw new FolderFault(`${shown(path)} ${fault}. Rename it.`);
    if (isHidden(path)) continue;
    if (found.has(path)) throw new FolderFault(`There are two files with the name ${shown(path)}. Remove one.`);
    found.set(path, file);
  }
  const folder = projectFolder(found.keys());
  return new Map(
    Array.from(found)
      .filter(([path]) => path.startsWith(folder))
      .map(([path, file]) => [path.slice(folder.length), file]),
  );
};
