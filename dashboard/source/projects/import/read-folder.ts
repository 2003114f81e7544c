import { FolderFault, type FolderFile, MAX_FILES } from './folder.ts';

const MAX_DEPTH = 20;

const folderFile = (path: string, file: File): FolderFile => ({
  path,
  size_bytes: file.size,
  read: () => Promise.resolve(file),
});

/** The files of an input for folders. */
export const chosenFiles = (files: readonly File[]): readonly FolderFile[] =>
  files.map((file) => folderFile(file.webkitRelativePath === '' ? file.name : file.webkitRelativePath, file));

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A browser returns the entries of a folder in parts. The last part is empty. */
const entriesIn = async (folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> => {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<readonly FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0 || found.length > MAX_FILES) return found;
    found.push(...part);
  }
};

const walk = async (entry: FileSystemEntry, depth: number, found: FolderFile[]): Promise<void> => {
  if (found.length > MAX_FILES) return;
  if (depth > MAX_DEPTH) throw new FolderFault(`The folders are more than ${MAX_DEPTH} deep.`);
  if (isFile(entry)) found.push(folderFile(entry.fullPath.replace(/^\//, ''), await fileOf(entry)));
  if (isFolder(entry)) for (const inner of await entriesIn(entry)) await walk(inner, depth + 1, found);
};

/** Call this before the event of the drop ends, because its items are empty afterwards. */
export const droppedEntries = ({ items }: DataTransfer): readonly FileSystemEntry[] =>
  Array.from(items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);

/** The files in dropped folders, and dropped files. */
export const droppedFiles = async (entries: readonly FileSystemEntry[]): Promise<readonly FolderFile[]> => {
  const found: FolderFile[] = [];
  for (const entry of entries) await walk(entry, 0, found);
  return found;
};
