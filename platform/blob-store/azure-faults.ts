import { RestError } from '@azure/storage-blob';
import { BlobFault } from './blob-store.ts';

/** Nothing is lost: the store, or the setting that names the container, is out of order. */
const NO_CONTAINER = 'ContainerNotFound';

/** The store has the fault in a header of its answer, too: to a HEAD it answers nothing else. */
const isWithoutContainer = ({ code, response }: RestError): boolean =>
  code === NO_CONTAINER || response?.headers.get('x-ms-error-code') === NO_CONTAINER;

/** Of the client's own statuses those that ask for another try: timeout, throttled. */
const ASKS_FOR_ANOTHER_TRY: ReadonlySet<number> = new Set([408, 429]);

/** The same request gets the same answer until a credential, a firewall or the blob's tier is changed. */
const isRefusal = ({ statusCode = 0 }: RestError): boolean =>
  statusCode >= 400 && statusCode < 500 && !ASKS_FOR_ANOTHER_TRY.has(statusCode);

const faultOf = (path: string, error: unknown): BlobFault => {
  if (error instanceof BlobFault) return error;
  const is_answer = error instanceof RestError && !isWithoutContainer(error);
  if (is_answer && error.statusCode === 404)
    return new BlobFault('not_found', path, `there is no blob at ${path}`, error);
  const said = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  if (is_answer && isRefusal(error))
    return new BlobFault('refused', path, `the blob store refused ${path}: ${error.statusCode} ${said}`, error);
  return new BlobFault('unavailable', path, `the blob store did not serve ${path}: ${said}`, error);
};

/** By which a full or broken disk is known where no path is named. */
const OF_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO']);

/** A fault of this machine's files, not of the store. */
const isOfFiles = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof RestError) &&
  'syscall' in error &&
  ('path' in error || ('code' in error && OF_DISK.has(error.code)));

/**
 * Rejects with `BlobFault`, or with the reason of `signal` once that has aborted; a `TypeError` is a programmer's mistake
 * and stays one.
 */
export const asFault = async <A>(path: string, work: () => Promise<A>, signal?: AbortSignal): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof TypeError ? error : faultOf(path, error);
  }
};

/** The same, but a fault of the local file stays what it is too. */
export const asStoreFault = async <A>(path: string, work: () => Promise<A>): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TypeError || isOfFiles(error) ? error : faultOf(path, error);
  }
};
