import kafkajs, { type Kafka } from 'kafkajs';
import { deployedTopics, readDeployment } from './deployment-log.ts';
import type { LogReader } from './log-reader.ts';
import type { TopicSource } from './topic-check.ts';
import { settingDifferences } from './topic-settings.ts';

export const topicSource = (kafka: Kafka, reader: LogReader, topic_prefix: string): TopicSource => {
  const wire = (topic: string): string => `${topic_prefix}${topic}`;
  return {
    partitions: (topic) => reader.partitions(wire(topic)),
    refresh: reader.ping,
    deployed: async () => {
      const { entries } = await readDeployment({
        bounds: (topic) => reader.bounds(wire(topic)),
        replay: (topic, partition, from, to) => reader.replay(wire(topic), partition, from, to),
      });
      return deployedTopics(entries);
    },
    differences: async (wanted) => {
      const admin = kafka.admin();
      await admin.connect();
      try {
        const names = [...wanted.keys()];
        const { resources } = await admin.describeConfigs({
          includeSynonyms: false,
          resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name: wire(name) })),
        });
        return resources.flatMap(({ resourceName, configEntries, errorCode }) => {
          const topic = names.find((name) => wire(name) === resourceName);
          const settings = topic === undefined ? undefined : wanted.get(topic);
          // A topic that is missing, or that we may not read, has no differences.
          return settings === undefined || errorCode !== 0
            ? []
            : settingDifferences(resourceName, settings, configEntries);
        });
      } finally {
        await admin.disconnect();
      }
    },
  };
};
