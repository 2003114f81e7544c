import { RestError } from '@azure/storage-blob';
import test from 'ava';
import { mapToBlobFault } from '../../../platform/blob-store/azure-faults.ts';

test('a missing container means that the store is unavailable, not a lost blob', async (t) => {
  const faultOf = (code: string) =>
    t.throwsAsync(mapToBlobFault('a', () => Promise.reject(new RestError('no', { code, statusCode: 404 }))));
  t.like(await faultOf('ContainerNotFound'), { tag: 'unavailable', path: 'a' });
  t.like(await faultOf('BlobNotFound'), { tag: 'not_found', path: 'a' });
});

test('an answer is a refusal only if a person has to change something', async (t) => {
  const tagOf = async (statusCode: number, code: string) =>
    Object(await t.throwsAsync(mapToBlobFault('a', () => Promise.reject(new RestError('no', { code, statusCode })))))
      .tag;
  for (const [status, code] of [
    [403, 'AuthorizationFailure'],
    [403, 'AuthenticationFailed'],
    [401, 'NoAuthenticationInformation'],
    [409, 'BlobArchived'],
    [400, 'InvalidHeaderValue'],
  ] as const)
    t.is(await tagOf(status, code), 'refused', code);
  for (const [status, code] of [
    [408, 'OperationTimedOut'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServerBusy'],
  ] as const)
    t.is(await tagOf(status, code), 'unavailable', code);
});
