import { isKeptForEver, TOPICS, type Topic } from '../../../platform/event-log/topics.ts';
import { NAMESPACES } from '../../../platform/records/namespaces.ts';

/** The exported topics: those without retention. A gap in another topic would look like a gap of the export. */
export const EXPORTED_TOPICS: readonly Topic[] = TOPICS.map(({ name }) => name).filter(
  (name) => NAMESPACES[name] !== null && isKeptForEver(name),
);
