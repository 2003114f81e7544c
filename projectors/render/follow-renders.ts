import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import { createIndexes } from '../../platform/read-store/create-indexes.ts';
import { FIRST_MODEL_VERSION } from '../../read-models/generations.ts';
import { renderIndexes, renderModel } from '../../read-models/renders/model.ts';
import { watermarksIn } from '../../read-models/renders/watermarks.ts';
import { processPartitions } from '../checkpoint/partition-processor.ts';
import { retry } from '../checkpoint/retry.ts';
import { followTopic, groupOf } from '../follow-topic.ts';
import type { ReadModelSpec } from '../generations/follow-read-model.ts';
import type { ProjectorDeps } from '../projector-deps.ts';
import { renderProjection } from './projection.ts';
import { createPublish } from './publish.ts';
import { publishPosition } from './publish-position.ts';
import { reportWatermark } from './watermark.ts';

const EVENTS: Topic = 'render-events';
const STATUS: Topic = 'render-status';
const PARTITIONS_AT_ONCE = 4;

/** Events of renders -> renders and ledger, and what was accepted to the status topic. */
export const renderReadModel = ({
  records,
  store,
  quarantine,
  metricsOf,
  logger,
  clock,
}: ProjectorDeps): ReadModelSpec => {
  const { log } = records;
  const { db } = store;
  const ends = async () => (await log.bounds(EVENTS)).map(({ end }) => end);
  return {
    read_model: 'renders',
    ends,
    checkpoints: (generation) => renderModel(db, generation).checkpoints,
    prepare: async (generation) => await createIndexes(db, renderIndexes(generation)),
    publishes: true,
    follow: async (served, role) => {
      const { generation, model_version } = served;
      const { length: partitions } = await retry('the log', { logger, clock }, ends);
      const model = renderModel(db, generation);
      const metrics = metricsOf(generation);
      const publishing = {
        publish: createPublish(records, STATUS, metrics, logger, clock),
        position: async (partition: number) => await publishPosition(log, records, partition),
      };
      const projection = renderProjection({
        topic: EVENTS,
        partitionOf: (key) => partitionOfKey(key, partitions),
        model,
        accounts: model_version > FIRST_MODEL_VERSION,
        publishing: role === 'made' ? null : publishing,
      });
      const follower = processPartitions(projection, { log, records, store, quarantine, metrics, logger, clock });
      const group = groupOf('render-projector', served);
      const following = await followTopic(log, group, EVENTS, follower, PARTITIONS_AT_ONCE);
      const reporting = reportWatermark(log, EVENTS, watermarksIn(model), follower.held, logger, clock);
      return {
        stop: async () => {
          await reporting.stop();
          // The next owner publishes what is committed but not published yet.
          await following.stop();
        },
      };
    },
  };
};
