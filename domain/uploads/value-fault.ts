import { MAX_FETCHED_BYTES, type RemoteMedia } from '../composition/remote-media.ts';

const MIB = 1024 ** 2;

/** Null if the file of a ready upload can be the value. @param found null if there is no such upload */
export const uploadValueFault = (
  { kind }: Pick<RemoteMedia, 'kind'>,
  found: { readonly kind: string; readonly size_bytes: number } | null,
): string | null => {
  if (found === null) return 'there is no such upload, or it is not ready';
  if (found.kind !== kind) return `must be an upload of kind ${kind}; this one is of kind ${found.kind}`;
  const most = MAX_FETCHED_BYTES[kind];
  return found.size_bytes > most ? `is larger than the ${most / MIB} MiB that are allowed` : null;
};
