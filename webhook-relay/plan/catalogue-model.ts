import type { Db } from 'mongodb';
import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import { entityOf } from '../../read-models/catalogue/codec.ts';
import type { WebhookEndpointDocument } from '../../read-models/catalogue/documents.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import { generationPointer } from '../../read-models/generations.ts';

/** How far a generation of the catalogue's read model is: every event below `next` is folded. */
export type CatalogueState = { readonly generation: number; readonly next: number };

/** What the relay reads of the catalogue. Every read rejects while the store is away. */
export type CatalogueModel = {
  /** Null while the generation that serves changes, and before there is one. */
  readonly state: () => Promise<CatalogueState | null>;
  readonly ofTeams: (generation: number, team_ids: readonly string[]) => Promise<readonly WebhookEndpoint[]>;
  readonly byIds: (generation: number, ids: readonly string[]) => Promise<readonly WebhookEndpoint[]>;
};

const PARTITION = 0;

export const catalogueModel = (db: Db): CatalogueModel => {
  const current = generationPointer(db, 'catalogue');
  const endpoints = (generation: number) =>
    db.collection<WebhookEndpointDocument>(catalogueCollections(generation).entities.webhook_endpoint);
  return {
    state: async () => {
      const generation = await current();
      const checkpoints = db.collection<CheckpointDocument>(catalogueCollections(generation).checkpoints);
      const checkpoint = await checkpoints.findOne({ _id: PARTITION }, inTime());
      return checkpoint === null || checkpoint.closed !== undefined ? null : { generation, next: checkpoint.next };
    },
    ofTeams: async (generation, team_ids) =>
      (
        await endpoints(generation)
          .find({ team_id: { $in: [...team_ids] } }, inTime())
          .toArray()
      ).map(entityOf),
    byIds: async (generation, ids) =>
      (
        await endpoints(generation)
          .find({ _id: { $in: [...ids] } }, inTime())
          .toArray()
      ).map(entityOf),
  };
};
