import { lstat, rename, rm, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import * as E from 'fp-ts/lib/Either.js';
import { csvText } from '../../catalogue/csv-text.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import { fileHead } from '../../platform/process/file-head.ts';
import type { CliFault } from '../fault.ts';
import { errorCodeOf, folderFault } from '../folder-fault.ts';
import type { RowResult } from './row-result.ts';

const HEADING = ['row', 'render_id', 'status', 'error', 'url'];

export const resultsCsv = (results: readonly RowResult[]): string => csvText(HEADING, results, true);

const LOOKED_AT_BYTES = 200;

/** A spreadsheet program may have saved the file with a byte order mark, other quotes and other line ends. */
const isOurs = (beginning: string): boolean => {
  const [heading] = parse(beginning.split(/[\r\n]/, 1)[0] ?? '', { bom: true, relax_quotes: true });
  return heading?.join() === HEADING.join();
};

/** Only a results file of an earlier run may be overwritten. The check runs before the batch, which may take hours. */
export const checkOverwritable = async (path: string): Promise<E.Either<CliFault, null>> => {
  const fault = await folderFault(path);
  if (fault !== null) return E.left({ tag: 'unwritable_file', path, message: fault });
  try {
    // lstat does not follow links: the new file must not replace a link such as /dev/stdout.
    const found = await lstat(path);
    if (found.isFile() && (found.size === 0 || isOurs((await fileHead(path, LOOKED_AT_BYTES)).toString('utf8'))))
      return E.right(null);
    const message = `${path} exists and is not a results file; choose another path with --results`;
    return E.left({ tag: 'usage', message });
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return E.right(null);
    return E.left({ tag: 'unwritable_file', path, message: messageOf(error) });
  }
};

/** Writes the results file atomically and overwrites the partial file of a killed run. */
const writeResults = async (path: string, results: readonly RowResult[]): Promise<void> => {
  const fresh = `${path}.part`;
  try {
    await writeFile(fresh, resultsCsv(results));
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
};

const EVERY_MS = 2_000;

export type ResultsFile = {
  /** Writes the file at most once every two seconds. */
  readonly changed: (results: () => readonly RowResult[]) => void;
  readonly finish: (results: readonly RowResult[]) => Promise<E.Either<CliFault, null>>;
};

export const resultsFile = (path: string): ResultsFile => {
  let written_at = performance.now();
  let writing: Promise<unknown> = Promise.resolve();
  return {
    changed: (results) => {
      if (performance.now() - written_at < EVERY_MS) return;
      written_at = performance.now();
      // A failed write is ignored, because finish() writes again and reports the fault.
      writing = writing.then(() => writeResults(path, results())).catch(() => undefined);
    },
    finish: async (results) => {
      await writing;
      try {
        await writeResults(path, results);
        return E.right(null);
      } catch (error) {
        const message = messageOf(error);
        return E.left({ tag: 'unwritable_file', path, message });
      }
    },
  };
};
