import type { Abortable, Collection, Db, FindOptions } from 'mongodb';
import { freshRead } from '../platform/read-store/fresh-read.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from './collections.ts';

/**
 * Version of the documents of a read model. Another version needs another generation, folded from the first record.
 * Readers of a version must also read the one before it, which serves until its successor is complete.
 */
export const MODEL_VERSIONS = { renders: 3, catalogue: 3 } as const;

export type ReadModel = keyof typeof MODEL_VERSIONS;

/** The version before each version had its own pointer. */
export const FIRST_MODEL_VERSION = 1;

/** The first version of both read models with an audit. */
export const AUDIT_SINCE = 3;

/** The first version of the renders with statistics. */
export const STATISTICS_SINCE = 3;

/** The first version of the renders with lists of teams. */
export const LISTS_OF_TEAMS_SINCE = 3;

/** `generations`: the pointer of one version of a read model; `_id` is `<read model>@<version>`. */
export type GenerationDocument = {
  readonly _id: string;
  readonly read_model: ReadModel;
  readonly model_version: number;
  readonly generation: number;
  /** False while it is folded for the first time. Readers use the newest serving version that they know. */
  readonly serving: boolean;
  /** End of each partition when its fold began; it serves only after it has reached them. */
  readonly ends: readonly number[];
  /** The generation of the same version that it replaced, and when; absent without one. */
  readonly replaced?: { readonly generation: number; readonly at: Date };
  /** When it replaced an older version; absent without one, or if older code replaced it. */
  readonly serving_since?: Date;
};

/**
 * `generations`: a generation that is folded to replace one of the same version; `_id` is `<read
 * model>@<version>/rebuild`. Readers, and projectors without this feature, do not see it.
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
 * `generations`: the pointer of version 1 of a read model. Code of that version reads nothing else. It is 0 if there was no version 1. Such code then folds a generation of its own, instead of one that it does not understand.
 */
export type FirstGenerationDocument = { readonly _id: ReadModel; readonly current: number };

/** `generations`: a counter, because each number is used once; `_id` is `<read model>#`. */
type LastGenerationDocument = { readonly _id: string; readonly given: number };

export const pointersIn = (db: Db): Collection<GenerationDocument> => db.collection(COLLECTIONS.generations);

/** An unused number, so that documents of an abandoned generation are never reused. */
export const newGeneration = async (db: Db, read_model: ReadModel, above: number): Promise<number> => {
  const counts = db.collection<LastGenerationDocument>(COLLECTIONS.generations);
  const _id = `${read_model}#`;
  await counts.updateOne({ _id }, { $max: { given: above } }, { upsert: true });
  const counted = await counts.findOneAndUpdate({ _id }, { $inc: { given: 1 } }, { returnDocument: 'after' });
  if (counted === null) throw new Error(`${_id} is gone`);
  return counted.given;
};

/** Whether a newer version of the read model has a pointer: it serves, or is being folded. */
export const isNewerVersionThere = async (
  db: Db,
  read_model: ReadModel,
  model_version: number,
  options: FindOptions & Abortable = queryTimeout(),
): Promise<boolean> => {
  const newer = pointersIn(db).find({ read_model, model_version: { $gt: model_version } }, options);
  return (await newer.limit(1).toArray()).length > 0;
};

/** The generation of the first projector. Readers may start before it. */
const FIRST = 1;

/** The serving generation of a read model, and the version of its documents. */
export type ServingGeneration = {
  readonly generation: number;
  /** May be below the reader's version until the generation of that version is complete. */
  readonly model_version: number;
};

/** A serving generation, and the min. number of its partitions. */
export type ServingPointer = ServingGeneration & {
  readonly partitions: number;
  /** When it replaced another one, ms since the epoch; null if it did not. */
  readonly took_over_at: number | null;
};

/** Reads the store. Returns the newest serving version that the reader knows. */
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
 * The serving generation of a read model with its collections. Readers follow a cutover within a second.
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

/** Only its number, for readers of members that every version has. */
export const generationPointer = (db: Db, read_model: ReadModel): (() => Promise<number>) => {
  const serving = servingGeneration(db, read_model);
  return async () => (await serving()).generation;
};
