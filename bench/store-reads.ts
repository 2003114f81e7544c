import type { Collection, Document } from 'mongodb';
import { searchTerms } from '../domain/search/words.ts';
import { inTime } from '../platform/read-store/in-time.ts';
import { dateRange, type RangeAfter, rangePipeline, searchRanges } from '../read-models/ranges.ts';
import type { RenderDocument } from '../read-models/renders/documents.ts';

/** The calls of the store that reads of the query API make, alone: what they cost is the least that such a read costs. */
export type StoreReads = {
  readonly byId: (id: string) => Promise<unknown>;
  readonly firstPage: () => Promise<readonly unknown[]>;
  readonly search: (text: string) => Promise<readonly unknown[]>;
};

/** What a page of the default size asks the store for. */
export const PAGE_READ = 21;

const SHOWN = { render: 1 };

export const newest = (project_id: string): RangeAfter => dateRange('by_project', project_id, 'desc');

/** The query of one page, as the query API builds it. */
export const pagePipeline = (project_id: string, range: RangeAfter, after: string | null): Document[] =>
  rangePipeline(range(after), { project_id }, PAGE_READ, SHOWN);

export const storeReads = (renders: Collection<RenderDocument>, project_id: string): StoreReads => {
  const page = async (range: RangeAfter, count: number): Promise<readonly Document[]> =>
    await renders.aggregate(rangePipeline(range(null), { project_id }, count, SHOWN), inTime()).toArray();
  return {
    byId: async (_id) => await renders.findOne({ _id }, { ...inTime(), projection: { render: 1, facts: 1 } }),
    firstPage: async () => await page(newest(project_id), PAGE_READ),
    // One tier after the other, until the page is full.
    search: async (text) => {
      const terms = searchTerms(project_id, text);
      const found: Document[] = [];
      for (const tier of terms === null ? [] : searchRanges(terms)) {
        if (found.length < PAGE_READ) found.push(...(await page(tier, PAGE_READ - found.length)));
      }
      return found;
    },
  };
};
