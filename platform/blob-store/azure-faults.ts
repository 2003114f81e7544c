import { RestError } from '@azure/storage-blob';
import { hasErrorCode } from './azure-errors.ts';
import { BlobFault } from './blob-store.ts';

/** A missing container means that the store or its setting is wrong, not that the blob is lost. */
const NO_CONTAINER = 'ContainerNotFound';

/** Timeout and throttling. */
const ASKS_FOR_ANOTHER_TRY: ReadonlySet<number> = new Set([408, 429]);

/** A retry gets the same answer until the credential, the firewall or the blob's tier changes. */
const isRefusal = ({ statusCode = 0 }: RestError): boolean =>
  statusCode >= 400 && statusCode < 500 && !ASKS_FOR_ANOTHER_TRY.has(statusCode);

const faultOf = (path: string, error: unknown): BlobFault => {
  if (error instanceof BlobFault) return error;
  const is_answer = error instanceof RestError && !hasErrorCode(error, NO_CONTAINER);
  if (is_answer && error.statusCode === 404)
    return new BlobFault('not_found', path, `there is no blob at ${path}`, error);
  const message = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  if (is_answer && isRefusal(error))
    return new BlobFault('refused', path, `the blob store refused ${path}: ${error.statusCode} ${message}`, error);
  return new BlobFault('unavailable', path, `the blob store did not serve ${path}: ${message}`, error);
};

/** These codes mean a full or broken disk even if the error has no path. */
const OF_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO']);

const isOfFiles = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof RestError) &&
  'syscall' in error &&
  ('path' in error || ('code' in error && OF_DISK.has(error.code)));

/** Rejects with `BlobFault`, or with the reason of an aborted `signal`. Rethrows a `TypeError`, which is a bug. */
export const mapToBlobFault = async <A>(path: string, work: () => Promise<A>, signal?: AbortSignal): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof TypeError ? error : faultOf(path, error);
  }
};

/** Like `mapToBlobFault`, but also rethrows faults of the local file. */
export const mapToStoreFault = async <A>(path: string, work: () => Promise<A>): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TypeError || isOfFiles(error) ? error : faultOf(path, error);
  }
};
