import { BlobServiceClient, newPipeline, type RequestPolicyFactory } from '@azure/storage-blob';
import { type BlobSettings, RETRY_OPTIONS } from './azure-blob-store.ts';
import { hasBlobStatus, hasErrorCode } from './azure-errors.ts';
import type { StagedBlock } from './upload-blobs.ts';

/** A list of some 5,000 blocks. A client can store 100,000, and parsing their list would block the process. */
const MAX_LIST_CHARACTERS = 512 * 1024;

class LongAnswer extends Error {
  override readonly name = 'LongAnswer';
}

const refuseLongAnswers = (max_characters: number): RequestPolicyFactory => ({
  create: (next) => ({
    sendRequest: async (request) => {
      const response = await next.sendRequest(request);
      if ((response.bodyAsText?.length ?? 0) > max_characters) throw new LongAnswer('the list is too long');
      return response;
    },
  }),
});

/** A client that parses no long answer. */
const boundedClient = (
  { connection_string }: Pick<BlobSettings, 'connection_string'>,
  max_characters: number,
): BlobServiceClient => {
  const { url, credential } = BlobServiceClient.fromConnectionString(connection_string);
  const pipeline = newPipeline(credential, { retryOptions: RETRY_OPTIONS });
  // The last policy sees an answer before the others parse it.
  pipeline.factories.push(refuseLongAnswers(max_characters));
  return new BlobServiceClient(url, pipeline);
};

/** Null if the list is too long to read. */
export const openStagedBlocks = (
  settings: Pick<BlobSettings, 'connection_string' | 'container'>,
  max_characters: number = MAX_LIST_CHARACTERS,
): ((path: string, abortSignal: AbortSignal) => Promise<readonly StagedBlock[] | null>) => {
  const container = boundedClient(settings, max_characters).getContainerClient(settings.container);
  return async (path, abortSignal) => {
    try {
      const { uncommittedBlocks = [] } = await container
        .getBlockBlobClient(path)
        .getBlockList('uncommitted', { abortSignal });
      return uncommittedBlocks.map(({ name, size }) => ({ id: name, size_bytes: size }));
    } catch (error) {
      // A page blob has no blocks.
      if (hasErrorCode(error, 'BlobNotFound') || hasBlobStatus(error, 409)) return [];
      if (error instanceof LongAnswer) return null;
      throw error;
    }
  };
};
