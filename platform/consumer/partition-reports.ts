import type { Logger } from '../logging/logger.ts';
import type { Readiness } from '../process/readiness.ts';
import { type LatePositions, latePositions } from './late-positions.ts';
import type { ConsumerAction } from './partition-events.ts';
import { parseTopicPartitionKey } from './topic-partition.ts';

type ReportTag = 'await_position' | 'end_await' | 'report_stop' | 'clear_stop' | 'report_restart' | 'report_realign';
export type ReportAction = Extract<ConsumerAction, { readonly tag: ReportTag }>;

export class PartitionReports {
  readonly #readiness: Readiness;
  readonly #logger: Logger;
  readonly #late: LatePositions;
  readonly #group: string;

  constructor(readiness: Readiness, logger: Logger, group: string) {
    this.#readiness = readiness;
    this.#logger = logger;
    this.#group = group;
    this.#late = latePositions(readiness, (key) => this.#problemOf(key));
  }

  #problemOf(key: string): string {
    return `${this.#group} ${key}`;
  }

  report(action: ReportAction): void {
    const topicPartition = parseTopicPartitionKey(action.key);
    switch (action.tag) {
      case 'await_position':
        this.#late.begin(topicPartition);
        return;
      case 'end_await':
        this.#late.end(topicPartition);
        return;
      case 'report_stop': {
        const { offset, reason } = action;
        this.#readiness.set(this.#problemOf(action.key), `stopped: ${reason}`);
        this.#logger.error({ ...topicPartition, offset, reason }, 'a partition was stopped');
        return;
      }
      case 'clear_stop':
        this.#readiness.set(this.#problemOf(action.key), null);
        return;
      case 'report_restart':
        this.#logger.info({ ...topicPartition, offset: action.offset }, 'a stopped partition restarts');
        return;
      case 'report_realign': {
        const { wanted, found } = action;
        this.#logger.warn({ ...topicPartition, wanted, found }, 'a batch began at another offset');
      }
    }
  }
}
