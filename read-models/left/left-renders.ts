import type { Collection, Db } from 'mongodb';
import type { StoredEvent } from '../../domain/render/stored-event.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { RENDER_SKIP_MEMBERS } from '../embedded/document-form.ts';
import type { RenderDocument } from '../renders/documents.ts';
import { renderModel, servingRenders } from '../renders/model.ts';
import { queryFields } from '../renders/query-fields.ts';
import type { LeftGenerations } from './left-generations.ts';

type Named = Pick<RenderDocument, '_id' | 'offset' | 'render' | 'name' | 'facts'>;

/**
 * Erased renders in generations that no process folds. Each rejects while the store does not answer, and can be
 * repeated.
 */
export type LeftRenders = {
  /** Removes the names of these erased renders. */
  readonly clear: (render_ids: readonly string[]) => Promise<void>;
  /**
   * Checks the next renders of these generations, and clears those that were erased in the serving generation.
   *
   * @param from end of the page before; null at the beginning
   * @returns start of the next page, null at the end, and the number of cleared renders
   */
  readonly clearPage: (from: string | null) => Promise<{ readonly next: string | null; readonly cleared: number }>;
};

const RENDERS_OF_A_PAGE = 500;
const NAMED = { offset: 1, render: 1, name: 1, facts: 1 } as const;

const nameIn = (stored: StoredEvent): string =>
  stored.verdict === 'accepted' && stored.fact.type === 'RenderRequested' ? stored.fact.name : '';

const hasName = ({ render, name, facts }: Named): boolean =>
  render !== null && (typeof name === 'string' || render.name !== '' || facts.some((one) => nameIn(one) !== ''));

/**
 * Removes the name and its derived members from a document, which is then not shown. Everything else stays. If code folds it later, after a downgrade, it finds the erasure in the log and writes the same document as otherwise.
 */
const clearing = ({ render, facts }: Named) => {
  const nameless = { render: render === null ? null : { ...render, name: '' }, name: null };
  const cleared = facts.map((stored) =>
    stored.verdict === 'accepted' && stored.fact.type === 'RenderRequested'
      ? { ...stored, fact: { ...stored.fact, name: '' } }
      : stored,
  );
  return {
    $set: { ...nameless, name_salt: null, facts: cleared, search: [], ...queryFields(nameless) },
    $unset: RENDER_SKIP_MEMBERS,
  };
};

/**
 * A document that is folded meanwhile, by a process that does not know yet that the generation was stopped, is left to
 * the next pass.
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

export const openLeftRenders = (db: Db, left: LeftGenerations): LeftRenders => {
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
        const { renders } = renderModel(db, generation);
        const ids = { _id: { $in: [...render_ids] } };
        await clearAll(renders, await renders.find<Named>(ids, { projection: NAMED, ...queryTimeout() }).toArray());
      }
    },
    clearPage: async (from) => {
      const [begun, after] = from === null ? [0, ''] : [Number(from.split('/')[0]), from.split('/')[1] ?? ''];
      const generation = (await left()).find((one) => one >= begun);
      if (generation === undefined) return { next: null, cleared: 0 };
      const { renders } = renderModel(db, generation);
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
