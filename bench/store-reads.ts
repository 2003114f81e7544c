import type { Collection } from 'mongodb';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import { positionReader, readInWindows } from '../read-models/embedded/read-in-windows.ts';
import { type ListRequest, readByQuery, readList } from '../read-models/lists.ts';
import type { RenderDocument } from '../read-models/renders/documents.ts';
import { projectRenders } from '../read-models/renders/query-fields.ts';

/** The store calls of the query API's reads, without HTTP: the minimum cost of such a read. */
export type StoreReads = {
  readonly byId: (id: string) => Promise<unknown>;
  readonly firstPage: () => Promise<readonly unknown[]>;
  readonly search: (text: string) => Promise<readonly unknown[]>;
};

/** The number of documents that the store reads for a page of the default size. */
export const PAGE_READ_COUNT = 21;

/** @param in_windows reads lists in windows of positions, as the query API does on the embedded server */
export const storeReads = (
  renders: Collection<RenderDocument>,
  project_id: string,
  in_windows: boolean,
): StoreReads => {
  const list = projectRenders(project_id, { status: null, template_id: null });
  const plain = readByQuery<unknown>(async (pipeline, time) =>
    (await renders.aggregate(pipeline, time).toArray()).map((element) => ({ position: '', element })),
  );
  const readTier = in_windows ? readInWindows(plain, positionReader(renders)) : plain;
  const page = (request: ListRequest) => readList<unknown>(list, request, null, PAGE_READ_COUNT, readTier);
  return {
    byId: async (_id) => await renders.findOne({ _id }, { ...queryTimeout(), projection: { render: 1, facts: 1 } }),
    firstPage: () => page({ order: 'desc', search: null }),
    search: (text) => page({ order: 'desc', search: text }),
  };
};
