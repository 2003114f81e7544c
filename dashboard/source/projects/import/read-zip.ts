import { FolderFault, type FolderFile, MAX_FILES } from './folder.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const MAX_UNPACKED_BYTES = 20 * GIB;
/** Media and project files do not shrink as much. Only larger entries are checked. */
const MAX_RATIO = 200;
const RATIO_FROM_BYTES = 16 * MIB;

const BROKEN = 'This is not a ZIP file, or it is damaged. Create it again.';

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

type Unpack = (to: WritableStream<Uint8Array>) => Promise<unknown>;

/** Unpacks at most the stated number of bytes. Browsers keep large blobs on disk. */
const unpacked = async (path: string, size_bytes: number, unpack: Unpack): Promise<Blob> => {
  let bytes = 0;
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, to) => {
      bytes += chunk.byteLength;
      if (bytes > size_bytes) throw new FolderFault(`“${path}” is larger than the ZIP file states.`);
      to.enqueue(chunk);
    },
  });
  const [blob] = await Promise.all([new Response(readable).blob(), unpack(writable)]);
  return blob;
};

/**
 * The files in a ZIP file. It is not unpacked: each file is unpacked when it is read. Rejects with {@link FolderFault}
 * before that if the whole is too large or packed too tightly.
 */
export const readZip = async (zip: Blob, max_files = MAX_FILES): Promise<readonly FolderFile[]> => {
  const { BlobReader, ZipReader } = await import('@zip.js/zip.js/lib/zip-core-native.js');
  // Names are checked with those of folders.
  const reader = new ZipReader(new BlobReader(zip), { filenameValidation: 'tolerant', useWebWorkers: false });
  const files: FolderFile[] = [];
  let total_bytes = 0;
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      if (entry.directory) continue;
      const { filename: path, uncompressedSize: size_bytes, compressedSize, encrypted, lastModDate } = entry;
      if (files.length >= max_files) throw new FolderFault(`There are more than ${max_files} files. Remove some.`);
      if (encrypted) throw new FolderFault('The ZIP file has a password. Create it without one.');
      total_bytes += size_bytes;
      if (total_bytes > MAX_UNPACKED_BYTES)
        throw new FolderFault(`The files have more than ${MAX_UNPACKED_BYTES / GIB} GiB together. Remove some.`);
      if (size_bytes > RATIO_FROM_BYTES && size_bytes > MAX_RATIO * compressedSize)
        throw new FolderFault(`“${path}” unpacks to more than ${MAX_RATIO} times its size. Remove it.`);
      const unpack: Unpack = (to) => entry.getData(to, { checkCrc32: true, checkOverlappingEntry: true });
      const read = async (): Promise<File> => {
        try {
          const blob = await unpacked(path, size_bytes, unpack);
          return new File([blob], nameOf(path), { lastModified: lastModDate.getTime() });
        } catch (error) {
          throw error instanceof FolderFault ? error : new FolderFault(`“${path}” is damaged in the ZIP file.`);
        }
      };
      files.push({ path, size_bytes, read });
    }
  } catch (error) {
    throw error instanceof FolderFault ? error : new FolderFault(BROKEN);
  }
  return files;
};
