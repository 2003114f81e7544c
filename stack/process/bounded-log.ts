import { closeSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

const LINE_CHARACTERS = 16_384;
const LAST_LINES = 30;

export type BoundedLog = {
  readonly write: (line: string) => void;
  readonly lastLines: () => readonly string[];
  readonly close: () => void;
};

/** `path` and `path.1` have up to `size_bytes` each. A new log first renames the file of the last run. */
export const boundedLog = (path: string, size_bytes = 16 * 1024 * 1024): BoundedLog => {
  mkdirSync(dirname(path), { recursive: true });
  let file = begin(path);
  let written_bytes = 0;
  let open = true;
  let last: string[] = [];
  return {
    write: (line) => {
      if (!open) return;
      const bytes = Buffer.from(`${line.slice(0, LINE_CHARACTERS)}\n`);
      last = [...last.slice(1 - LAST_LINES), line.slice(0, LINE_CHARACTERS)];
      if (written_bytes + bytes.length > size_bytes) {
        closeSync(file);
        file = begin(path);
        written_bytes = 0;
      }
      try {
        written_bytes += writeSync(file, bytes);
      } catch {
        // A full disk must not end the stack; the last lines remain in memory.
      }
    },
    lastLines: () => last,
    close: () => {
      if (open) closeSync(file);
      open = false;
    },
  };
};

const begin = (path: string): number => {
  try {
    renameSync(path, `${path}.1`);
  } catch {
    // The first run has no earlier file.
  }
  return openSync(path, 'w');
};

/** Cuts overlong lines, so that memory stays bounded. */
export const readLines = (stream: Readable, onLine: (line: string) => void): void => {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (rest.length > LINE_CHARACTERS) {
      onLine(rest);
      rest = '';
    }
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
  stream.on('error', () => undefined);
};
