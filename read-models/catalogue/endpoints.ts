import type { Db } from 'mongodb';
import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { entityOf } from './codec.ts';
import { catalogueCollectionsIn, servingCatalogue } from './model.ts';

/** Every event below the offset `next` is folded. */
export type CatalogueState = { readonly generation: number; readonly next: number };

/** Webhook endpoints, with the position that they are folded to. All functions reject on store outage. */
export type Endpoints = {
  /** Null before there is a serving generation, and while another one replaces it. */
  readonly state: () => Promise<CatalogueState | null>;
  readonly ofTeams: (generation: number, team_ids: readonly string[]) => Promise<readonly WebhookEndpoint[]>;
  readonly byIds: (generation: number, ids: readonly string[]) => Promise<readonly WebhookEndpoint[]>;
};

const PARTITION = 0;

export const openEndpoints = (db: Db): Endpoints => {
  const serving = servingCatalogue(db);
  const endpoints = (generation: number) => catalogueCollectionsIn(db, generation).entities('webhook_endpoint');
  return {
    state: async () => {
      const { generation, checkpoints } = await serving();
      const checkpoint = await checkpoints.findOne({ _id: PARTITION }, queryTimeout());
      return checkpoint === null || checkpoint.closed !== undefined ? null : { generation, next: checkpoint.next };
    },
    ofTeams: async (generation, team_ids) => {
      const found = endpoints(generation).find({ team_id: { $in: [...team_ids] } }, queryTimeout());
      return (await found.toArray()).map(entityOf);
    },
    byIds: async (generation, ids) => {
      const found = endpoints(generation).find({ _id: { $in: [...ids] } }, queryTimeout());
      return (await found.toArray()).map(entityOf);
    },
  };
};
