import type { Entity } from '../../domain/catalogue/entities.ts';
import type { RenderRequested } from '../../domain/render/events.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { SealOpener } from '../../platform/seals/opener.ts';
import { openAccountRetentions } from '../../read-models/catalogue/account-retentions.ts';
import { catalogueCollectionsIn } from '../../read-models/catalogue/model.ts';
import { openOutputPolicy } from '../../read-models/catalogue/output-policy.ts';
import { MODEL_VERSIONS, type ReadModel, readServingGeneration } from '../../read-models/generations.ts';
import type { VerificationResult } from './findings.ts';
import { verifyCatalogue } from './verify-catalogue.ts';
import { verifyDeliveries } from './verify-deliveries.ts';
import { outputCheck } from './verify-outputs.ts';
import type { RenderScope } from './verify-partition.ts';
import { verifyRenders } from './verify-renders.ts';

const EVENTS: Topic = 'render-events';

export type VerificationTarget =
  | { readonly tag: 'all' }
  | { readonly tag: 'render' | 'project' | 'account'; readonly id: string };

export type VerifyReadModelsDependencies = {
  readonly records: RecordLog;
  readonly db: ReadStore['db'];
  readonly blobs: Pick<BlobStore, 'getPayload' | 'getSaltedPayload' | 'download'>;
  readonly seals: SealOpener;
  readonly clock: Clock;
  readonly logger: Logger;
};

export type VerifyReadModelsOptions = {
  readonly outputs: boolean;
  readonly stop: AbortSignal;
  readonly onProgress: (what: string, done: number, all: number) => void;
};

export type ReadModelVerification =
  | { readonly tag: 'verified'; readonly verified: VerificationResult }
  | { readonly tag: 'not_there' }
  | { readonly tag: 'not_serving'; readonly read_model: ReadModel };

const servingNow = async (db: ReadStore['db'], read_model: ReadModel): Promise<number | null> => {
  const serving = await readServingGeneration(db, read_model);
  return serving?.model_version === MODEL_VERSIONS[read_model] ? serving.generation : null;
};

const requestedFor = async (
  { records }: VerifyReadModelsDependencies,
  isMeant: (event: RenderRequested) => boolean,
  { stop, onProgress }: VerifyReadModelsOptions,
): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  const bounds = await records.log.bounds(EVENTS);
  const all = bounds.reduce((sum, { end }) => sum + end, 0);
  let done = 0;
  for (const { partition, start, end } of bounds)
    for await (const { value } of records.log.replay(EVENTS, partition, start, end)) {
      stop.throwIfAborted();
      done += 1;
      onProgress('looking for renders', done, all);
      const decoded = await records.decode(value);
      if (decoded.tag === 'record' && decoded.record.type === 'RenderRequested' && isMeant(decoded.record))
        ids.add(decoded.record.render_id);
    }
  return ids;
};

const isInLog = async ({ records }: VerifyReadModelsDependencies, render_id: string): Promise<boolean> => {
  const bounds = await records.log.bounds(EVENTS);
  const own = bounds[partitionOfKey(render_id, bounds.length)];
  if (own === undefined) return false;
  const key = Buffer.from(render_id);
  for await (const record of records.log.replay(EVENTS, own.partition, own.start, own.end))
    if (record.key?.equals(key)) return true;
  return false;
};

const renderScope = async (
  deps: VerifyReadModelsDependencies,
  thing: VerificationTarget,
  options: VerifyReadModelsOptions,
): Promise<RenderScope> => {
  switch (thing.tag) {
    case 'all':
      return thing;
    case 'render':
      return { tag: 'renders', ids: new Set((await isInLog(deps, thing.id)) ? [thing.id] : []) };
    case 'project':
      return { tag: 'renders', ids: await requestedFor(deps, ({ project_id }) => project_id === thing.id, options) };
    case 'account': {
      const ids = await requestedFor(deps, ({ account_id }) => account_id === thing.id, options);
      return { tag: 'account', id: thing.id, ids };
    }
  }
};

const isOfProject =
  (id: string) =>
  (entity: Entity): boolean =>
    entity.id === id || ('project_id' in entity && entity.project_id === id);

const isOfAccount =
  (id: string, teams: ReadonlySet<string>) =>
  (entity: Entity): boolean =>
    entity.id === id ||
    teams.has(entity.id) ||
    ('account_id' in entity && entity.account_id === id) ||
    ('team_id' in entity && entity.team_id !== null && teams.has(entity.team_id));

const catalogueScope = async (
  db: ReadStore['db'],
  generation: number,
  thing: VerificationTarget,
): Promise<((entity: Entity) => boolean) | null> => {
  if (thing.tag === 'project') return isOfProject(thing.id);
  if (thing.tag !== 'account') return null;
  const teams = await catalogueCollectionsIn(db, generation).entities('team').find({ account_id: thing.id }).toArray();
  return isOfAccount(thing.id, new Set(teams.map(({ _id }) => _id)));
};

const together = (all: readonly VerificationResult[]): VerificationResult => {
  const compared = new Map<string, number>();
  for (const one of all)
    for (const [what, count] of Object.entries(one.compared)) compared.set(what, (compared.get(what) ?? 0) + count);
  const sum = (of: 'different' | 'moving' | 'behind'): number => all.reduce((total, one) => total + one[of], 0);
  return {
    differences: all.flatMap(({ differences }) => differences),
    ...{ different: sum('different'), moving: sum('moving'), behind: sum('behind') },
    compared: Object.fromEntries(compared),
  };
};

/** Folds the topics again and compares the serving read models with the result. Rejects when `stop` aborts. */
export const verifyReadModels = async (
  deps: VerifyReadModelsDependencies,
  thing: VerificationTarget,
  options: VerifyReadModelsOptions,
): Promise<ReadModelVerification> => {
  const { db, blobs, clock } = deps;
  const { stop, onProgress } = options;
  const generation = await servingNow(db, 'renders');
  if (generation === null) return { tag: 'not_serving', read_model: 'renders' };
  const catalogue = await servingNow(db, 'catalogue');
  if (catalogue === null) return { tag: 'not_serving', read_model: 'catalogue' };

  const verified: VerificationResult[] = [];
  if (thing.tag !== 'render') {
    const takes = await catalogueScope(db, catalogue, thing);
    verified.push(
      await verifyCatalogue(
        { ...deps, generation: catalogue },
        {
          ...(takes === null ? {} : { takes }),
          ...{ stop, onProgress: (done, all) => onProgress('catalogue', done, all) },
        },
      ),
    );
  }
  const scope = await renderScope(deps, thing, options);
  const entities = verified.reduce((sum, { compared }) => sum + (compared.entities ?? 0), 0);
  if (scope.tag !== 'all' && scope.ids.size === 0 && entities === 0) return { tag: 'not_there' };
  const { isGone: gone } = openOutputPolicy(openAccountRetentions(db), clock);
  const outputs = options.outputs ? await outputCheck({ blobs, gone }) : null;
  try {
    verified.push(
      await verifyRenders(
        { ...deps, generation },
        {
          ...{ scope, stop, onProgress: (done, all) => onProgress('renders', done, all) },
          ...(outputs === null ? {} : { onEnded: outputs.render }),
        },
      ),
      await verifyDeliveries(deps, scope.tag === 'all' ? { stop } : { ids: scope.ids, stop }),
    );
  } finally {
    if (outputs !== null) verified.push(await outputs.end());
  }
  return { tag: 'verified', verified: together(verified) };
};
