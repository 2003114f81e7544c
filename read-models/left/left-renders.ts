import type { Collection, Db } from 'mongodb';
import type { StoredEvent } from '../../domain/render/stored-event.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { RENDER_SKIP_MEMBERS } from '../embedded/document-form.ts';
import { type RenderDocument, withoutRequestTexts } from '../renders/documents.ts';
import { renderCollectionsIn, servingRenders } from '../renders/model.ts';
import { queryFields } from '../renders/query-fields.ts';
import type { InactiveGenerations } from './left-generations.ts';

type Named = Pick<RenderDocument, '_id' | 'offset' | 'render' | 'name' | 'facts'>;

/** Erased renders in generations that no process folds. All functions may be repeated, and reject on store outage. */
export type InactiveRenderCleaner = {
  readonly clear: (render_ids: readonly string[]) => Promise<void>;
  /**
   * @param from `next` of the previous page; null for the first page
   * @returns `next` is null after the last page
   */
  readonly clearPage: (from: string | null) => Promise<{ readonly next: string | null; readonly cleared: number }>;
};

const RENDERS_OF_A_PAGE = 500;
const NAMED = { offset: 1, render: 1, name: 1, facts: 1 } as const;

const hasText = (stored: StoredEvent): boolean =>
  stored.verdict === 'accepted' &&
  stored.fact.type === 'RenderRequested' &&
  // Stored events that are older than seals lack the member.
  (stored.fact.name !== '' || (stored.fact.sealed?.box ?? '') !== '');

const hasName = ({ render, name, facts }: Named): boolean =>
  render !== null && (typeof name === 'string' || render.name !== '' || facts.some(hasText));

/**
 * Removes the name and the members that are derived from it. If older code folds the document later, it finds the
 * erasure in the log and writes the same document as without this change.
 */
const clearing = ({ render, facts }: Named) => {
  const nameless = { render: render === null ? null : { ...render, name: '' }, name: null };
  const cleared = facts.map(withoutRequestTexts);
  return {
    $set: { ...nameless, name_salt: null, facts: cleared, search: [], ...queryFields(nameless) },
    $unset: RENDER_SKIP_MEMBERS,
  };
};

/**
 * A process that does not know yet that the generation was stopped may fold a document at the same time. The filter
 * then skips the document, and the next pass clears it.
 */
const clearAll = async (renders: Collection<RenderDocument>, found: readonly Named[]): Promise<number> => {
  const named = found.filter(hasName);
  if (named.length === 0) return 0;
  const { matchedCount } = await renders.bulkWrite(
    named.map((document) => ({
      updateOne: { filter: { _id: document._id, offset: document.offset }, update: clearing(document) },
    })),
  );
  return matchedCount;
};

export const openInactiveRenderCleaner = (db: Db, left: InactiveGenerations): InactiveRenderCleaner => {
  const serving = servingRenders(db);

  const erasedAmong = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const { renders } = await serving();
    const found = await renders
      .find<Pick<RenderDocument, '_id' | 'render'>>(
        { _id: { $in: [...ids] } },
        { projection: { 'render.erased_at': 1 }, ...queryTimeout() },
      )
      .toArray();
    return new Set(found.flatMap(({ _id, render }) => ((render?.erased_at ?? null) === null ? [] : [_id])));
  };

  return {
    clear: async (render_ids) => {
      for (const generation of await left()) {
        const { renders } = renderCollectionsIn(db, generation);
        const ids = { _id: { $in: [...render_ids] } };
        await clearAll(renders, await renders.find<Named>(ids, { projection: NAMED, ...queryTimeout() }).toArray());
      }
    },
    clearPage: async (from) => {
      const [begun, after] = from === null ? [0, ''] : [Number(from.split('/')[0]), from.split('/')[1] ?? ''];
      const generation = (await left()).find((one) => one >= begun);
      if (generation === undefined) return { next: null, cleared: 0 };
      const { renders } = renderCollectionsIn(db, generation);
      const behind = generation === begun ? after : '';
      const found = await renders
        .find<Named>({ _id: { $gt: behind } }, { projection: NAMED, ...queryTimeout() })
        .sort({ _id: 1 })
        .limit(RENDERS_OF_A_PAGE)
        .toArray();
      const named = found.filter(hasName);
      const erased = await erasedAmong(named.map(({ _id }) => _id));
      const cleared = await clearAll(
        renders,
        named.filter(({ _id }) => erased.has(_id)),
      );
      const last = found.length < RENDERS_OF_A_PAGE ? undefined : found.at(-1);
      return { next: last === undefined ? `${generation + 1}/` : `${generation}/${last._id}`, cleared };
    },
  };
};
