import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { readDeployment } from '../../platform/event-log/deployment-log.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import { SAVED_SCHEMAS, SavedSchema, savedSchemasIn } from '../../platform/records/saved-schemas.ts';
import type { CliFault } from '../fault.ts';

type Saved = { readonly schemas: readonly SavedSchema[]; readonly from: string };

const Document = t.readonlyArray(SavedSchema);

export const savedSchemasFromFile = async (path: string): Promise<E.Either<CliFault, Saved>> => {
  try {
    const decoded = Document.decode(JSON.parse(await readFile(path, 'utf8')));
    if (E.isRight(decoded)) return E.right({ schemas: decoded.right, from: path });
    const message = 'it must be a JSON array of {id, subject, version, schema}, as the deploy step saves it';
    return E.left({ tag: 'unreadable_file', path, message });
  } catch (error) {
    return E.left({ tag: 'unreadable_file', path, message: messageOf(error) });
  }
};

/** Null if the log has no schemas: an earlier version stored them only in Blob. */
export const savedSchemasFromLog = async (log: EventLog): Promise<Saved | null> => {
  const schemas = savedSchemasIn((await readDeployment(log)).entries);
  return schemas.length === 0 ? null : { schemas, from: 'the topic deployment' };
};

export const savedSchemasFromBlob = async (blobs: BlobStore): Promise<E.Either<CliFault, Saved>> => {
  const folder = await mkdtemp(join(tmpdir(), 'renderctl-'));
  try {
    const file = join(folder, 'schemas.json');
    await blobs.download(SAVED_SCHEMAS, file);
    return E.map((saved: Saved) => ({ ...saved, from: `the blob ${SAVED_SCHEMAS}` }))(await savedSchemasFromFile(file));
  } catch (error) {
    return E.left({ tag: 'blob_failed', message: messageOf(error) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
