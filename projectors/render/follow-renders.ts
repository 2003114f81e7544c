import type { EventLog } from '../../platform/event-log/event-log.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import { createIndexes } from '../../platform/read-store/create-indexes.ts';
import { stoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import { readDocumentForm } from '../../read-models/embedded/generation-form.ts';
import { AUDIT_SINCE, FIRST_MODEL_VERSION } from '../../read-models/generations.ts';
import { openRequestedNameCache } from '../../read-models/renders/fresh-names.ts';
import { renderCollectionsIn, renderIndexes } from '../../read-models/renders/model.ts';
import { servingName, servingNames } from '../../read-models/renders/names.ts';
import { openWatermarks } from '../../read-models/renders/watermarks.ts';
import { followProjection } from '../follow-projection.ts';
import type { ReadModelSpec } from '../generations/follow-read-model.ts';
import { createTextWait, type TextWait } from '../payload-reads.ts';
import { fillPending } from '../pending-texts/fill-pending.ts';
import { reportPending } from '../pending-texts/report-pending.ts';
import type { ProjectorDependencies } from '../projector-dependencies.ts';
import { sampleRenders } from '../verification/sample-renders.ts';
import { pendingRenderNames } from './fill-names.ts';
import { openRequestNames } from './names.ts';
import { renderProjection } from './projection.ts';
import { createStatusPublisher } from './publish.ts';
import { publishPosition } from './publish-position.ts';
import { startWatermarkReports } from './watermark.ts';

const EVENTS: Topic = 'render-events';
const STATUS: Topic = 'render-status';
const PARTITIONS_AT_ONCE = 4;

const waits = (log: EventLog, clock: Clock): ((partition: number) => TextWait) => {
  const of = new Map<number, TextWait>();
  return (partition) => {
    const known = of.get(partition);
    if (known !== undefined) return known;
    const end = async (): Promise<number> =>
      (await log.reachableBounds(EVENTS)).find((bounds) => bounds.partition === partition)?.end ?? 0;
    const wait = createTextWait(clock, end);
    of.set(partition, wait);
    return wait;
  };
};

export const renderReadModel = (deps: ProjectorDependencies): ReadModelSpec => {
  const { records, blobs, seals, metricsOf, renderMetrics, logger, clock } = deps;
  const { log } = records;
  const { db } = deps.store;
  const ends = async () => (await log.bounds(EVENTS)).map(({ end }) => end);
  return {
    read_model: 'renders',
    ends,
    checkpoints: (generation) => renderCollectionsIn(db, generation).checkpoints,
    prepare: async (generation) => {
      const form = await readDocumentForm(db, 'renders', generation);
      await createIndexes(db, form.indexes(renderIndexes(generation)));
    },
    publishes: true,
    follow: async (served, role, throttle) => {
      const { generation, model_version } = served;
      const onFailure = (error: unknown): void => logger.warn({ error }, 'waiting for the store and the log');
      const form = await retry(() => readDocumentForm(db, 'renders', generation), { clock, onFailure });
      const partitions = await retry(() => log.partitions(EVENTS), { clock, onFailure });
      const model = renderCollectionsIn(db, generation);
      const metrics = metricsOf(generation);
      const onCorrupt = (): void => metrics.foundCorrupt(EVENTS);
      const onLost = (): void => metrics.lostText(EVENTS);
      const publishing = {
        publish: createStatusPublisher(
          records,
          STATUS,
          { projection: metricsOf(generation), renders: renderMetrics },
          logger,
          clock,
        ),
        position: async (partition: number) => await publishPosition(log, records, partition),
      };
      const projection = renderProjection({
        topic: EVENTS,
        partitionOf: (key) => partitionOfKey(key, partitions),
        model,
        form,
        accounts: model_version > FIRST_MODEL_VERSION,
        audits: model_version >= AUDIT_SINCE,
        // A generation that is being folded copies names from the serving one. Other generations read the names of
        // recent requests from `fresh_names`.
        names: openRequestNames({
          ...{ blobs, seals, logger, clock, onCorrupt, onLost },
          known: role === 'building' ? servingNames(db) : openRequestedNameCache(db, clock.now).find,
          servingName: role === 'building' ? servingName(db) : null,
          waitOf: waits(log, clock),
        }),
        clock,
        publishing: role === 'building' ? null : publishing,
      });
      const following = await followProjection(
        projection,
        'render-projector',
        served,
        PARTITIONS_AT_ONCE,
        throttle,
        deps,
      );
      const report = reportPending({
        ...{ pending: model.pending, topic: EVENTS, readiness: deps.readiness, clock },
        ...{ group: `render-names-g${generation}`, what: 'names of renders' },
        stops: stoppedPartitions(db, clock.now),
        counted: (count) => metrics.pendingTexts(EVENTS, count),
      });
      const filling = fillPending({
        ...pendingRenderNames(model, form, blobs, seals),
        ...{ store: deps.store, committed: following.committed, onCorrupt, report, logger, clock },
      });
      const reporting = startWatermarkReports(log, EVENTS, openWatermarks(model), following.committed, logger, clock);
      const sampled = role === 'serving' ? deps.sampling : undefined;
      const sampling =
        sampled === undefined
          ? null
          : sampleRenders({
              ...{ records, renders: model.renders, generation, form, accept: projection.accept, blobs, seals },
              ...{ committed: following.committed, logger, clock, ...sampled },
            });
      return {
        stop: async () => {
          await sampling?.stop();
          await filling.stop();
          await reporting.stop();
          await following.stop();
        },
      };
    },
  };
};
