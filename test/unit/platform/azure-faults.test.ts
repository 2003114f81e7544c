import { RestError } from '@azure/storage-blob';
import test from 'ava';
import { asFault } from '../../../platform/blob-store/azure-faults.ts';

test('a container that is not there is a store out of order, and not a lost blob', async (t) => {
  const faultOf = (code: string) =>
    t.throwsAsync(asFault('a', () => Promise.reject(new RestError('no', { code, statusCode: 404 }))));
  t.like(await faultOf('ContainerNotFound'), { tag: 'unavailable', path: 'a' });
  t.like(await faultOf('BlobNotFound'), { tag: 'not_found', path: 'a' });
});
