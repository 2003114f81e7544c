import type { Abortable, Collection, Db, FindOptions } from 'mongodb';
import { freshRead } from '../platform/read-store/fresh-read.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from './collections.ts';

/**
 * What the documents of a read model hold: another version needs another generation, folded from the first record.
 * Readers of a version must also read the one before it, which serves until its successor is complete.
 */
export const MODEL_VERSIONS = { renders: 3, catalogue: 3 } as const;

export type ReadModel = keyof typeof MODEL_VERSIONS;

/** The version that came before versions had a pointer each. */
export const FIRST_MODEL_VERSION = 1;

/** The version of both that has an audit first. */
export const AUDIT_SINCE = 3;

/** The version of the renders that has statistics first. */
export const STATISTICS_SINCE = 3;

/** The version of the renders by which a team's are listed first. */
export const LISTS_OF_TEAMS_SINCE = 3;

/** `generations`: the generation of one version of a read model; `_id` is `<read model>@<version>`. */
export type GenerationDocument = {
  readonly _id: string;
  readonly read_model: ReadModel;
  readonly model_version: number;
  readonly generation: number;
  /** False while it is folded for the first time. Readers use the newest version that serves and that they know. */
  readonly serving: boolean;
  /** Where each partition ended when its making began; it serves no sooner than it got there. */
  readonly ends: readonly number[];
  /** The one of the same version whose place it took, and when; absent where there was none. */
  readonly replaced?: { readonly generation: number; readonly at: Date };
  /** When it took the place of an older version; absent where there was none, or where that was before this was noted. */
  readonly serving_since?: Date;
};

/**
 * `generations`: a generation that is made to take the place of one of the same version; `_id` is
 * `<read model>@<version>/rebuild`. No reader sees it, nor does a projector that knows nothing of it.
 */
export type RebuildDocument = GenerationDocument & {
  readonly serving: false;
  /** The generation that serves meanwhile. */
  readonly replaces: number;
  readonly requested_at: Date;
  /** An actor. */
  readonly requested_by: string;
};

export const pointerId = (read_model: ReadModel, model_version: number): string => `${read_model}@${model_version}`;

export const rebuildId = (read_model: ReadModel, model_version: number): string =>
  `${pointerId(read_model, model_version)}/rebuild`;

/**
 * `generations`: the pointer of version 1 of a read model, and all that code of that version looks at. 0 where there
 * never was a version 1: such code then folds a generation of its own, and not into one that it does not understand.
 */
export type FirstGenerationDocument = { readonly _id: ReadModel; readonly current: number };

/** `generations`: numbers are given once; `_id` is `<read model>#`. */
type LastGenerationDocument = { readonly _id: string; readonly given: number };

export const pointersIn = (db: Db): Collection<GenerationDocument> => db.collection(COLLECTIONS.generations);

/** A number that was never given before, so that nothing of an abandoned generation is taken for one's own. */
export const newGeneration = async (db: Db, read_model: ReadModel, above: number): Promise<number> => {
  const counts = db.collection<LastGenerationDocument>(COLLECTIONS.generations);
  const _id = `${read_model}#`;
  await counts.updateOne({ _id }, { $max: { given: above } }, { upsert: true });
  const counted = await counts.findOneAndUpdate({ _id }, { $inc: { given: 1 } }, { returnDocument: 'after' });
  if (counted === null) throw new Error(`${_id} is gone`);
  return counted.given;
};

/** Whether a newer version of the read model has a pointer: it serves, or is made. */
export const isNewerVersionThere = async (
  db: Db,
  read_model: ReadModel,
  model_version: number,
  options: FindOptions & Abortable = queryTimeout(),
): Promise<boolean> => {
  const newer = pointersIn(db).find({ read_model, model_version: { $gt: model_version } }, options);
  return (await newer.limit(1).toArray()).length > 0;
};

/** What the first projector makes; readers may be up before it. */
const FIRST = 1;

/** The generation of a read model that serves, and the version of its documents. */
export type ServingGeneration = {
  readonly generation: number;
  /** May be below the reader's own until the rebuild of its version is complete. */
  readonly model_version: number;
};

/** A generation that serves, and how many partitions it is folded from at least. */
export type ServingPointer = ServingGeneration & {
  readonly partitions: number;
  /** When it took the place of another one, ms since the epoch; null where it never did. */
  readonly took_over_at: number | null;
};

/** Read from the store now. Of two versions that serve it is the newer, unless the reader is too old for it. */
export const readServingPointer = async (
  db: Db,
  read_model: ReadModel,
  newest: number = MODEL_VERSIONS[read_model],
): Promise<ServingPointer | null> => {
  const [serving] = await pointersIn(db)
    .find({ read_model, serving: true, model_version: { $lte: newest } }, queryTimeout())
    .sort({ model_version: -1 })
    .limit(1)
    .toArray();
  if (serving !== undefined) {
    const { generation, model_version, ends, replaced, serving_since } = serving;
    const took_over_at = (replaced?.at ?? serving_since)?.getTime() ?? null;
    return { generation, model_version, partitions: ends.length, took_over_at };
  }
  const first = await db
    .collection<FirstGenerationDocument>(COLLECTIONS.generations)
    .findOne({ _id: read_model }, queryTimeout());
  return first === null || first.current === 0
    ? null
    : { generation: first.current, model_version: FIRST_MODEL_VERSION, partitions: 0, took_over_at: null };
};

export const readServingGeneration = async (
  db: Db,
  read_model: ReadModel,
  newest?: number,
): Promise<ServingGeneration | null> => {
  const found = await readServingPointer(db, read_model, newest);
  return found === null ? null : { generation: found.generation, model_version: found.model_version };
};

/**
 * The generation of a read model that readers use, with what is opened of it. They follow a rebuild within a second.
 *
 * @param open is called once a second at most
 */
export const servingModel = <M extends object>(
  db: Db,
  read_model: ReadModel,
  open: (generation: number) => M,
): (() => Promise<M & ServingGeneration>) =>
  freshRead(async () => {
    const none_yet = { generation: FIRST, model_version: MODEL_VERSIONS[read_model] };
    const serving = (await readServingGeneration(db, read_model)) ?? none_yet;
    return { ...open(serving.generation), ...serving };
  });

export const servingGeneration = (db: Db, read_model: ReadModel): (() => Promise<ServingGeneration>) =>
  servingModel(db, read_model, () => ({}));

/** Its number alone, for those that read only what every version has. */
export const generationPointer = (db: Db, read_model: ReadModel): (() => Promise<number>) => {
  const serving = servingGeneration(db, read_model);
  return async () => (await serving()).generation;
};
