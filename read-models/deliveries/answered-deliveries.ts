import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { listPosition } from '../position.ts';
import type { WebhookAttempt } from './documents.ts';
import { deliveryCollectionsIn } from './model.ts';

export type AnsweredDelivery = { readonly _id: string; readonly attempts: readonly WebhookAttempt[] };

export type AnsweredDeliveries = {
  readonly plannedBefore: (endpoint_id: string, before: number, count: number) => Promise<readonly AnsweredDelivery[]>;
  readonly forgetAnswers: (deliveries: readonly AnsweredDelivery[]) => Promise<void>;
};

const HAS_ENDED = { state: { $in: ['succeeded' as const, 'exhausted' as const, 'skipped' as const] } };

export const openAnsweredDeliveries = (db: Db): AnsweredDeliveries => {
  const { deliveries } = deliveryCollectionsIn(db);
  return {
    plannedBefore: async (endpoint_id, before, count) => {
      const by_endpoint = { $gte: `${endpoint_id}/`, $lt: `${endpoint_id}/${listPosition(Math.max(0, before), '')}` };
      return await deliveries
        .find({ by_endpoint, ...HAS_ENDED, 'attempts.response': { $gte: '' } }, queryTimeout())
        .project<AnsweredDelivery>({ _id: 1, attempts: 1 })
        .limit(count)
        .toArray();
    },
    forgetAnswers: async (answered) => {
      await deliveries.bulkWrite(
        answered.map(({ _id, attempts }) => ({
          updateOne: {
            filter: { _id, ...HAS_ENDED },
            update: { $set: { attempts: attempts.map((attempt) => ({ ...attempt, response: null })) } },
          },
        })),
        { ordered: false },
      );
    },
  };
};
