import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';

/** The recorded behaviour of the service: a log with its blobs and secrets, and its results, one line for each. */
export const RECORDING = join(import.meta.dirname, 'recording');

/** A recorded record; `value` has no schema id, because another registry assigns other ids. */
export type RecordedRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly subject: string | null;
  readonly version: number | null;
  readonly value: string | null;
};

export type RecordedBlob = {
  readonly path: string;
  readonly content_type: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly bytes: string;
};

export type RecordedScene = {
  readonly env: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, string>>;
  readonly ids: Readonly<Record<string, string>>;
};

export const containerOf = ({
  AZURE_STORAGE_CONNECTION_STRING = '',
  BLOB_CONTAINER = 'renders',
}: Readonly<Record<string, string>>): ContainerClient =>
  BlobServiceClient.fromConnectionString(AZURE_STORAGE_CONNECTION_STRING).getContainerClient(BLOB_CONTAINER);

export const readLines = async <A>(name: string): Promise<readonly A[]> => {
  const text = await readFile(join(RECORDING, `${name}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): A => JSON.parse(line));
};

export const writeLines = async (name: string, lines: readonly unknown[]): Promise<void> =>
  await writeFile(join(RECORDING, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
