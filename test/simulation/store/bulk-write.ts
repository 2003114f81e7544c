import type { Document } from 'mongodb';
import { updated } from './matching.ts';
import { deleteFirst, type Id, idOf, insert, updateFirst, type View } from './view.ts';

/** One operation of a bulk write. */
export type Operation = {
  readonly insertOne?: { readonly document: Document };
  readonly updateOne?: { readonly filter: Document; readonly update: Document; readonly upsert?: boolean };
  readonly updateMany?: { readonly filter: Document; readonly update: Document };
  readonly replaceOne?: { readonly filter: Document; readonly replacement: Document; readonly upsert?: boolean };
  readonly deleteOne?: { readonly filter: Document };
  readonly deleteMany?: { readonly filter: Document };
};

export type BulkResult = { readonly matchedCount: number; readonly upsertedIds: Readonly<Record<number, Id>> };

type Outcome = { readonly matched: boolean; readonly upserted: Id | null };

const NO_UPDATE: Outcome = { matched: false, upserted: null };

const perform = (view: View, collection: string, operation: Operation): Outcome => {
  const { insertOne, updateOne, updateMany, replaceOne, deleteOne, deleteMany } = operation;
  if (deleteMany !== undefined) {
    for (const found of view.find(collection, deleteMany.filter)) view.write(collection, idOf(found), null);
    return NO_UPDATE;
  }
  if (updateMany !== undefined) {
    for (const found of view.find(collection, updateMany.filter))
      view.write(collection, idOf(found), updated(found, updateMany.update, false));
    return NO_UPDATE;
  }
  if (insertOne !== undefined) {
    insert(view, collection, insertOne.document);
    return NO_UPDATE;
  }
  if (deleteOne !== undefined) {
    deleteFirst(view, collection, deleteOne.filter);
    return NO_UPDATE;
  }
  const changing = updateOne ?? replaceOne;
  if (changing === undefined) throw new Error(`the simulated store does not know ${Object.keys(operation)}`);
  const change = (before: Document, is_insert: boolean): Document =>
    updateOne === undefined
      ? { ...replaceOne?.replacement, _id: before._id }
      : updated(before, updateOne.update, is_insert);
  const { before, upserted } = updateFirst(view, collection, changing.filter, change, changing.upsert ?? false);
  return { matched: before !== null, upserted };
};

export const performAll = (view: View, collection: string, operations: readonly Operation[]): BulkResult => {
  const outcomes = operations.map((operation) => perform(view, collection, operation));
  return {
    matchedCount: outcomes.filter(({ matched }) => matched).length,
    upsertedIds: Object.fromEntries(outcomes.flatMap(({ upserted }, i) => (upserted === null ? [] : [[i, upserted]]))),
  };
};
