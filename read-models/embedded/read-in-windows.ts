import type { Collection, Document } from 'mongodb';
import type { ListOrder } from '../../schemas/http/query.ts';
import type { ListPart } from '../list-part.ts';
import {
  type ListTier,
  pagePipeline,
  type ReadLimits,
  type ReadListTier,
  type TierElement,
  type TierIndex,
} from '../lists.ts';
import { type SkipLevel, skipFieldName, skipListToken, skipPrefix, skipToken } from './skip-list.ts';
import { MAX_POSITIONS, readWindows } from './windows.ts';

const indexOfLevel = (index: TierIndex, level: SkipLevel): TierIndex => {
  switch (index.tag) {
    case 'date':
      return { ...index, field: skipFieldName(index.field), prefix: skipPrefix(index.prefix, level) };
    case 'search_token':
      return { ...index, token: skipToken(index.scope, index.token, level) };
    case 'list_token':
      return { ...index, token: skipListToken(index.token, level) };
  }
};

/** The elements of one level of the skip list, including elements that the tier's filter excludes. */
export const skipListTier = ({ index, order, own }: ListTier, level: SkipLevel): ListTier => ({
  index: indexOfLevel(index, level),
  ...{ order, own, filter: {}, shown: { position: 1 } },
});

export type ReadPositions = (pipeline: Document[], time: ReadLimits) => Promise<readonly string[]>;

export const positionReader =
  <D extends { readonly position?: string | null }>(documents: Collection<D>): ReadPositions =>
  async (pipeline, time) => {
    const found = await documents.aggregate<Pick<D, 'position'>>(pipeline, time).toArray();
    return found.flatMap(({ position }) => position ?? []);
  };

const upTo = async function* (windows: AsyncIterable<ListPart>, order: ListOrder, end: string) {
  for await (const window of windows) {
    const is_before = window.until !== null && (order === 'asc' ? window.until < end : window.until > end);
    yield is_before ? window : { ...window, until: end };
    if (!is_before) return;
  }
};

/** The embedded store sorts all matches before it cuts a page, so this reader bounds each query by a window. */
export const readInWindows =
  <A>(readTier: ReadListTier<A>, readPositions: ReadPositions): ReadListTier<A> =>
  async (tier, { after, until }, count, time) => {
    const readLevel = (level: SkipLevel, window: ListPart) =>
      readPositions(pagePipeline(skipListTier(tier, level), window, MAX_POSITIONS), time);
    const windows = readWindows(tier.order, after, count, readLevel);
    const found: TierElement<A>[] = [];
    for await (const window of until === null ? windows : upTo(windows, tier.order, until)) {
      found.push(...(await readTier(tier, window, count - found.length, time)));
      if (found.length === count) break;
    }
    return found;
  };
