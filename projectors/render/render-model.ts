import type { Collection, Db } from 'mongodb';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { renderCollections } from '../../read-models/collections.ts';
import type { CaughtUpDocument, LedgerDocument, RenderDocument } from '../../read-models/renders/documents.ts';

/** The collections of one generation. */
export type RenderModel = {
  readonly renders: Collection<RenderDocument>;
  readonly ledger: Collection<LedgerDocument>;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly caught_up: Collection<CaughtUpDocument>;
};

export const renderModel = (db: Db, generation: number): RenderModel => {
  const names = renderCollections(generation);
  return {
    renders: db.collection(names.renders),
    ledger: db.collection(names.ledger),
    checkpoints: db.collection(names.checkpoints),
    caught_up: db.collection(names.caught_up),
  };
};
