import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { TOPICS } from '../../platform/event-log/topics.ts';
import type { Stack } from '../../stack/launcher.ts';
import type { StackClients } from '../../stack/testing/stack-clients.ts';

export const containerOf = ({ env }: Pick<Stack, 'env'>): ContainerClient =>
  BlobServiceClient.fromConnectionString(env.AZURE_STORAGE_CONNECTION_STRING ?? '').getContainerClient(
    env.BLOB_CONTAINER ?? 'renders',
  );

export const holds = (bytes: Buffer | string, text: string): boolean =>
  bytes.toString('utf8').toLowerCase().includes(text.toLowerCase());

type Stores = { readonly stack: Pick<Stack, 'env'>; readonly clients: StackClients };

/** The places that contain something: records of the log, documents of the store (as JSON), blobs. */
export const foundWhere = async (
  { stack, clients }: Stores,
  isFound: (content: Buffer | string) => boolean,
): Promise<readonly string[]> => {
  const found: string[] = [];
  const { log } = clients.records;
  for (const { name } of TOPICS)
    for (const { partition, start, end } of await log.bounds(name))
      for await (const { offset, value } of log.replay(name, partition, start, end))
        if (value !== null && isFound(value)) found.push(`${name}/${partition}/${offset}`);
  const { db } = clients.store;
  for (const { name } of await db.listCollections().toArray())
    for await (const document of db.collection(name).find())
      if (isFound(JSON.stringify(document))) found.push(`${name} ${document._id}`);
  const container = containerOf(stack);
  for await (const { name } of container.listBlobsFlat())
    if (isFound(await container.getBlobClient(name).downloadToBuffer())) found.push(name);
  return found;
};

/** The places that contain the text in any case. */
export const foundIn = (stores: Stores, text: string): Promise<readonly string[]> =>
  foundWhere(stores, (content) => holds(content, text));
