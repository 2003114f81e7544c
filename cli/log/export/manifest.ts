import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { messageOf } from '../../../platform/logging/message-of.ts';
import type { CliFault } from '../../fault.ts';
import { codeOf } from '../../folder-fault.ts';

/** What an export holds: beside its files, in `manifest.json`. */
const Manifest = t.intersection([
  t.type({
    version: t.literal(1),
    /** By topic and partition, the offset of the first record that it does not have. */
    positions: t.record(t.string, t.record(t.string, t.number)),
    /** Rows by file: `<table>/<day>.parquet`. */
    files: t.record(t.string, t.number),
  }),
  // Missing where an earlier renderctl wrote the manifest.
  t.partial({
    /** By table, a hash of the columns that all of its files have. */
    columns: t.record(t.string, t.string),
  }),
]);
export type Manifest = t.TypeOf<typeof Manifest>;

export const MANIFEST = 'manifest.json';

const NOTHING: Manifest = { version: 1, positions: {}, files: {} };

/** What a folder holds; nothing where it is not there, or has no export. */
export const readManifest = async (folder: string): Promise<E.Either<CliFault, Manifest>> => {
  const path = join(folder, MANIFEST);
  try {
    const decoded = Manifest.decode(JSON.parse(await readFile(path, 'utf8')));
    if (E.isRight(decoded)) return decoded;
    return E.left({
      tag: 'unreadable_file',
      path,
      message: 'it is not a manifest that this renderctl knows',
    });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return E.right(NOTHING);
    return E.left({ tag: 'unreadable_file', path, message: messageOf(error) });
  }
};

export const positionIn = ({ positions }: Manifest, topic: string, partition: number): number =>
  positions[topic]?.[partition] ?? 0;
