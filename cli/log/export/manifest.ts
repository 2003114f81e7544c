import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { messageOf } from '../../../platform/logging/message-of.ts';
import type { CliFault } from '../../fault.ts';
import { errorCodeOf } from '../../folder-fault.ts';

const Manifest = t.intersection([
  t.type({
    version: t.literal(1),
    /** The next offset to export, by topic and partition. */
    positions: t.record(t.string, t.record(t.string, t.number)),
    /** Number of rows, by `<table>/<day>.parquet`. */
    files: t.record(t.string, t.number),
  }),
  // Earlier versions of renderctl did not write these members.
  t.partial({
    /** A hash of the columns, by table. */
    columns: t.record(t.string, t.string),
  }),
]);
export type Manifest = t.TypeOf<typeof Manifest>;

export const MANIFEST_FILE = 'manifest.json';

const NOTHING: Manifest = { version: 1, positions: {}, files: {} };

export const readManifest = async (folder: string): Promise<E.Either<CliFault, Manifest>> => {
  const path = join(folder, MANIFEST_FILE);
  try {
    const decoded = Manifest.decode(JSON.parse(await readFile(path, 'utf8')));
    if (E.isRight(decoded)) return decoded;
    return E.left({
      tag: 'unreadable_file',
      path,
      message: 'the manifest is not valid, or its version is newer than this renderctl',
    });
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return E.right(NOTHING);
    return E.left({ tag: 'unreadable_file', path, message: messageOf(error) });
  }
};

export const exportedOffset = ({ positions }: Manifest, topic: string, partition: number): number =>
  positions[topic]?.[partition] ?? 0;
