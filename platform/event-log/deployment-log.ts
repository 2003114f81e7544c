import { isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { EventLog } from './event-log.ts';
import { isMissingTopic } from './kafka-faults.ts';
import type { Topic } from './topics.ts';

/** Records of the deploy step. They are JSON, because this topic holds the Avro schemas of all other topics. */
const DEPLOYMENT: Topic = 'deployment';

/** The last value of each key. */
export type DeploymentEntries = ReadonlyMap<string, string>;

export type DeploymentReader = Pick<EventLog, 'bounds' | 'replay'>;

/** @param from the first offset to read, so that earlier records are not read again */
export const readDeployment = async (
  log: DeploymentReader,
  from = 0,
): Promise<{ readonly entries: DeploymentEntries; readonly next: number }> => {
  const entries = new Map<string, string>();
  // The topic is missing before the first deploy step of a version that has it.
  const [bound] = await log.bounds(DEPLOYMENT).catch((error: unknown) => {
    if (isMissingTopic(error)) return [];
    throw error;
  });
  if (bound === undefined) return { entries, next: from };
  for await (const { key, value } of log.replay(DEPLOYMENT, 0, Math.max(from, bound.start), bound.end)) {
    if (key !== null && value !== null) entries.set(key.toString(), value.toString());
  }
  return { entries, next: bound.end };
};

/** Appends entries that are missing or differ. Rejects if an append fails; the caller can repeat it. */
export const writeDeployment = async (
  log: DeploymentReader & Pick<EventLog, 'append'>,
  wanted: DeploymentEntries,
): Promise<void> => {
  const { entries } = await readDeployment(log);
  const changed = [...wanted].filter(([key, value]) => entries.get(key) !== value);
  const results = await Promise.all(
    changed.map(([key, value]) => log.append({ topic: DEPLOYMENT, key, value: Buffer.from(value) })),
  );
  for (const result of results) {
    if (result._tag === 'Left') throw new Error(`the deployment was not recorded in the log: ${result.left.message}`);
  }
};

const TOPICS_KEY = 'topics';

const DeployedTopics = t.type({ render_partitions: t.number, min_insync_replicas: t.number });

export type DeployedTopics = t.TypeOf<typeof DeployedTopics>;

export const topicsEntry = ({ render_partitions, min_insync_replicas }: DeployedTopics): readonly [string, string] => [
  TOPICS_KEY,
  JSON.stringify({ render_partitions, min_insync_replicas }),
];

export const decodedEntry = <A>(codec: t.Decoder<unknown, A>, text: string | undefined): A | null => {
  if (text === undefined) return null;
  try {
    const decoded = codec.decode(JSON.parse(text));
    return isRight(decoded) ? decoded.right : null;
  } catch {
    return null;
  }
};

export const deployedTopics = (entries: DeploymentEntries): DeployedTopics | null =>
  decodedEntry(DeployedTopics, entries.get(TOPICS_KEY));
