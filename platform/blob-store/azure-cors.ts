import { BlobServiceClient, type CorsRule } from '@azure/storage-blob';
import { type BlobSettings, RETRY_OPTIONS } from './azure-blob-store.ts';
import { mapToBlobFault } from './azure-faults.ts';

/** A page needs this to write the bytes of an upload. It reads nothing from the store. */
const UPLOADING = {
  allowedMethods: 'PUT',
  allowedHeaders: 'content-type,x-ms-*',
  exposedHeaders: '',
  maxAgeInSeconds: 600,
} as const satisfies Partial<CorsRule>;

const listOf = (text: string): readonly string[] => text.split(',').map((part) => part.trim());

const isForUploads = ({ allowedMethods, allowedHeaders }: CorsRule): boolean =>
  allowedMethods === UPLOADING.allowedMethods && allowedHeaders === UPLOADING.allowedHeaders;

/** The rules with one more for the origins, or null if they allow uploads from all of them already. */
export const withUploadRule = (rules: readonly CorsRule[], origins: readonly string[]): readonly CorsRule[] | null => {
  const own = rules.find(isForUploads);
  const before = own === undefined ? [] : listOf(own.allowedOrigins);
  if (before.includes('*') || origins.every((origin) => before.includes(origin))) return null;
  const allowed = origins.includes('*') ? ['*'] : [...new Set([...before, ...origins])];
  return [...rules.filter((rule) => rule !== own), { ...UPLOADING, allowedOrigins: allowed.join(',') }];
};

/**
 * Lets pages of these origins write to signed URLs. The rules belong to the whole storage account, and others may have
 * written some, so all other rules stay.
 *
 * @returns false if nothing had to change
 */
export const allowUploadsFrom = async (
  { connection_string }: Pick<BlobSettings, 'connection_string'>,
  origins: readonly string[],
): Promise<boolean> => {
  const service = BlobServiceClient.fromConnectionString(connection_string, { retryOptions: RETRY_OPTIONS });
  return await mapToBlobFault('CORS', async () => {
    const { cors = [] } = await service.getProperties();
    const rules = withUploadRule(cors, origins);
    if (rules === null) return false;
    await service.setProperties({ cors: [...rules] });
    return true;
  });
};
