import { createHash } from 'node:crypto';
import { BlobServiceClient } from '@azure/storage-blob';
import { MongoClient } from 'mongodb';
import { segmentPath } from '../../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { type ComponentProcess, startComponent } from '../../../helpers/component-process.ts';
import { scraped, sumOf } from '../../../helpers/metrics.ts';
import { test } from './_stack-in-common.ts';

/** Maximum time until another process takes over, from docs/operations.md. */
const TAKEN_OVER_MS = 20_000;
const SLACK_MS = 10_000;

const isActive = async ({ health_url }: ComponentProcess): Promise<boolean> =>
  sumOf(await scraped(health_url), 'retention_active') === 1;

test.serial('only one retention process sweeps, and another replaces it if it hangs or dies', async (t) => {
  t.timeout(400_000);
  const { stack } = t.context;
  const { AZURE_STORAGE_CONNECTION_STRING = '', BLOB_CONTAINER = 'renders', MONGODB_URL = '' } = stack.env;
  const container = BlobServiceClient.fromConnectionString(AZURE_STORAGE_CONNECTION_STRING).getContainerClient(
    BLOB_CONTAINER,
  );
  await container.createIfNotExists();
  const mongo = await MongoClient.connect(MONGODB_URL);
  t.teardown(() => mongo.close());
  const leases = mongo.db(stack.env.MONGODB_DATABASE ?? 'rendering').collection<{ _id: string }>('leases');

  const segment = (text: string) =>
    container.getBlockBlobClient(segmentPath('acc_1', createHash('sha256').update(text).digest('hex')));
  const store = async (text: string) => await segment(text).upload(text, text.length);
  const isGone = (text: string) => async () => !(await segment(text).exists());

  await store('first');
  const env = { ...stack.env, SEGMENT_CACHE_BYTES_PER_ACCOUNT: '0' };
  const first = await startComponent('retention', env);
  t.teardown(first.kill);
  await pollUntil('a sweep has run', isGone('first'));
  const second = await startComponent('retention', env);
  t.teardown(second.kill);
  await pollUntil('both report the time of the sweep', async () =>
    (await Promise.all([first, second].map(({ health_url }) => scraped(health_url)))).every(
      (figures) =>
        sumOf(figures, 'retention_sweep_ended_timestamp_seconds', { sweep: 'segments' }) > Date.now() / 1_000 - 60,
    ),
  );
  t.is(sumOf(await scraped(first.health_url), 'retention_removed_blobs_total', { kind: 'segments' }), 1);
  t.deepEqual([await isActive(first), await isActive(second)], [true, false]);

  first.signal('SIGSTOP');
  await pollUntil('the second process has the lease', () => isActive(second), TAKEN_OVER_MS + SLACK_MS);
  first.signal('SIGCONT');
  await pollUntil('the first process knows that it lost the lease', async () => !(await isActive(first)));

  await store('second');
  await second.kill();
  // Makes the next process believe that an hour has passed.
  await leases.updateOne({ _id: 'retention' }, { $set: { 'progress.segments.last.ended_at': 0 } });
  await pollUntil('the first process has the lease again', () => isActive(first), TAKEN_OVER_MS + SLACK_MS);
  await pollUntil('and sweeps', isGone('second'));

  t.is(await first.end(), 0);
  t.like(await leases.findOne({ _id: 'retention' }), { holder: null });
});
