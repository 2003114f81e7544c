/** Parts of kafkajs 2.2.4 (pinned) that it does not export: it has no public API to fetch without a consumer group. */
declare module 'kafkajs/src/cluster/index.js' {
  import type { Broker, ISocketFactory, Logger, Cluster as PublicCluster, RetryOptions, SASLOptions } from 'kafkajs';

  type FetchedMessage = {
    readonly offset: string;
    readonly timestamp: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: Readonly<Record<string, Buffer | string | readonly (Buffer | string)[] | undefined>>;
    readonly isControlRecord: boolean;
  };

  export type FetchResponse = {
    readonly responses: readonly {
      readonly topicName: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly highWatermark: string;
        readonly messages: readonly FetchedMessage[];
      }[];
    }[];
  };

  /** Patched: each partition has its own producer id and epoch, and the response has an error for each partition. */
  type ProduceRequest = {
    readonly acks: number;
    readonly timeout: number;
    readonly topicData: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly firstSequence: number;
        readonly producerId: string;
        readonly producerEpoch: number;
        readonly messages: readonly {
          readonly key: string;
          readonly value: Buffer;
          readonly headers: Readonly<Record<string, string>>;
        }[];
      }[];
    }[];
  };

  type ProduceResponse = {
    readonly topics: readonly {
      readonly topicName: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly errorCode: number;
        readonly baseOffset: string;
        readonly logAppendTime: string;
      }[];
    }[];
  };

  type FullBroker = Omit<Broker, 'fetch' | 'produce'> & {
    fetch(request: Parameters<Broker['fetch']>[0]): Promise<FetchResponse>;
    produce(request: ProduceRequest): Promise<ProduceResponse>;
    initProducerId(request: {
      readonly transactionalId?: string;
    }): Promise<{ readonly producerId: string; readonly producerEpoch: number }>;
  };

  type GroupCoordinator = {
    offsetFetch(request: {
      readonly groupId: string;
      readonly topics: readonly {
        readonly topic: string;
        readonly partitions: readonly { readonly partition: number }[];
      }[];
    }): Promise<{
      readonly responses: readonly {
        readonly topic: string;
        readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
      }[];
    }>;
  };

  export default class Cluster {
    constructor(options: {
      logger: Logger;
      socketFactory: ISocketFactory;
      brokers: readonly string[];
      ssl: boolean;
      sasl?: SASLOptions | undefined;
      clientId: string;
      connectionTimeout: number;
      authenticationTimeout: number;
      reauthenticationThreshold: number;
      requestTimeout: number;
      enforceRequestTimeout: boolean;
      metadataMaxAge: number;
      allowAutoTopicCreation: boolean;
      maxInFlightRequests: number | null;
      isolationLevel: number;
      retry: RetryOptions;
    });
    connect: PublicCluster['connect'];
    disconnect: PublicCluster['disconnect'];
    isConnected: PublicCluster['isConnected'];
    removeBroker: PublicCluster['removeBroker'];
    refreshMetadata: PublicCluster['refreshMetadata'];
    refreshMetadataIfNecessary: PublicCluster['refreshMetadataIfNecessary'];
    addMultipleTargetTopics: PublicCluster['addMultipleTargetTopics'];
    findTopicPartitionMetadata: PublicCluster['findTopicPartitionMetadata'];
    findLeaderForPartitions: PublicCluster['findLeaderForPartitions'];
    fetchTopicsOffset: PublicCluster['fetchTopicsOffset'];
    findGroupCoordinator(group: { groupId: string }): Promise<GroupCoordinator>;
    findBroker(node: { nodeId: string }): Promise<FullBroker>;
    findControllerBroker(): Promise<FullBroker>;
    readonly brokerPool: {
      readonly metadata: {
        readonly clusterId: string | null;
        readonly topicMetadata: readonly {
          readonly topic: string;
          /** `leader` is -1 if the partition has no leader. */
          readonly partitionMetadata: readonly { readonly partitionId: number; readonly leader: number }[];
        }[];
      } | null;
    };
  }
}

declare module 'kafkajs/src/protocol/error.js' {
  export const createErrorFromCode: (code: number) => Error;
}
