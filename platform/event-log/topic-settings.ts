import type { TopicDefinition } from './topics.ts';

const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** Kafka deletes whole segments, so topics with a short retention need short segments. */
const MIN_SEGMENT_MS = 60_000;

/** @param min_insync_replicas null accepts any value, because the deployed value is unknown */
export const settingsOf = (
  { retention_ms }: Pick<TopicDefinition, 'retention_ms'>,
  min_insync_replicas: number | null,
): Readonly<Record<string, string>> => ({
  'cleanup.policy': 'delete',
  'message.timestamp.type': 'LogAppendTime',
  'max.message.bytes': String(MAX_MESSAGE_BYTES),
  ...(min_insync_replicas === null ? {} : { 'min.insync.replicas': String(min_insync_replicas) }),
  'retention.bytes': '-1',
  'retention.ms': String(retention_ms ?? -1),
  ...(retention_ms === null ? {} : { 'segment.ms': String(Math.max(MIN_SEGMENT_MS, Math.floor(retention_ms / 4))) }),
  'unclean.leader.election.enable': 'false',
});

export const settingDifferences = (
  topic: string,
  wanted: Readonly<Record<string, string>>,
  found: readonly { readonly configName: string; readonly configValue: string }[],
): readonly string[] => {
  const values = new Map(found.map(({ configName, configValue }) => [configName, configValue]));
  return Object.entries(wanted)
    .filter(([name, value]) => values.get(name) !== value)
    .map(([name, value]) => `${topic}: ${name} is ${values.get(name) ?? 'unknown'}, must be ${value}`);
};
