import { BlobServiceClient, type CorsRule } from '@azure/storage-blob';
import { type BlobSettings, RETRY_OPTIONS } from './azure-blob-store.ts';
import { mapToBlobFault } from './azure-faults.ts';

/** A page needs this to write the bytes of an upload, and to read films into a ZIP. */
const PAGES = {
  allowedMethods: 'GET,PUT',
  allowedHeaders: 'content-type,x-ms-*',
  exposedHeaders: '',
  maxAgeInSeconds: 600,
} as const satisfies Partial<CorsRule>;

const listOf = (text: string): readonly string[] => text.split(',').map((part) => part.trim());

/** Earlier versions wrote the rule for uploads only. */
const METHODS: readonly string[] = [PAGES.allowedMethods, 'PUT'];

const isForPages = ({ allowedMethods, allowedHeaders }: CorsRule): boolean =>
  METHODS.includes(allowedMethods) && allowedHeaders === PAGES.allowedHeaders;

/** The rules with one more for the origins, or null if they allow pages of all of them already. */
export const withPageRule = (rules: readonly CorsRule[], origins: readonly string[]): readonly CorsRule[] | null => {
  const own = rules.find(isForPages);
  const before = own === undefined ? [] : listOf(own.allowedOrigins);
  const has_all = before.includes('*') || origins.every((origin) => before.includes(origin));
  if (has_all && own?.allowedMethods === PAGES.allowedMethods) return null;
  const allowed = [...before, ...origins].includes('*') ? ['*'] : [...new Set([...before, ...origins])];
  return [...rules.filter((rule) => rule !== own), { ...PAGES, allowedOrigins: allowed.join(',') }];
};

/**
 * Lets pages of these origins read and write signed URLs. The rules belong to the whole storage account, and others may have
 * written some, so all other rules stay.
 *
 * @returns false if nothing had to change
 */
export const allowPagesOf = async (
  { connection_string }: Pick<BlobSettings, 'connection_string'>,
  origins: readonly string[],
): Promise<boolean> => {
  const service = BlobServiceClient.fromConnectionString(connection_string, { retryOptions: RETRY_OPTIONS });
  return await mapToBlobFault('CORS', async () => {
    const { cors = [] } = await service.getProperties();
    const rules = withPageRule(cors, origins);
    if (rules === null) return false;
    await service.setProperties({ cors: [...rules] });
    return true;
  });
};
