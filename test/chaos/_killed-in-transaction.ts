import { createLogger } from '../../platform/logging/logger.ts';
import { openReadStore } from '../../platform/read-store/mongodb-read-store.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';

/**
 * Dies in the middle of a transaction that moves a partition's position and changes a delivery. Usage: `node <this>
 * <url> <database> <partition> <delivery id>`.
 */
const [url = '', database = '', partition = '', delivery_id = ''] = process.argv.slice(2);
const store = await openReadStore({
  settings: { url, database },
  app_name: 'test',
  logger: createLogger('test', 'warn'),
});
await store.transaction(async (session) => {
  const positions = store.db.collection<{ readonly _id: number }>(COLLECTIONS.webhook_positions);
  const deliveries = store.db.collection<{ readonly _id: string }>(COLLECTIONS.webhook_deliveries);
  await positions.updateOne({ _id: Number(partition) }, { $inc: { plans: 1 } }, { session });
  await deliveries.updateOne({ _id: delivery_id }, { $set: { reason: 'never' } }, { session });
  process.kill(process.pid, 'SIGKILL');
});
