import { isRetainedForever, TOPICS, type Topic } from '../../../platform/event-log/topics.ts';
import { AVRO_NAMESPACES } from '../../../platform/records/namespaces.ts';

/** The exported topics keep all records, because deleted records would look like a gap in the export. */
export const EXPORTED_TOPICS: readonly Topic[] = TOPICS.map(({ name }) => name).filter(
  (name) => AVRO_NAMESPACES[name] !== null && isRetainedForever(name),
);
