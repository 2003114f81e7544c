import { Counter } from 'prom-client';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { type Metrics, sampledGauge } from '../platform/metrics/metrics.ts';
import { notarizedPartitionEnds, partitionText } from '../platform/proof-log/notarized-topics.ts';
import type { Notary } from './notary.ts';
import type { WitnessOutcome } from './witnesses/ask-witnesses.ts';

type Told = {
  readonly notary: Notary;
  readonly isStopped: () => boolean;
  readonly signedAt: () => number | null;
  readonly checkedAt: () => number | null;
  readonly log: Pick<EventLog, 'bounds'>;
};

export const witnessMetrics = (metrics: Metrics): ((witness: string, outcome: WitnessOutcome) => void) => {
  const requests = new Counter({
    name: 'notary_witness_requests_total',
    help: 'Requests to witnesses to cosign a checkpoint, by result',
    labelNames: ['witness', 'outcome'],
    registers: [metrics],
  });
  return (witness, outcome) => requests.inc({ witness, outcome });
};

export const notaryMetrics = (metrics: Metrics, { notary, isStopped, signedAt, checkedAt, log }: Told): void => {
  const gauge = (name: string, help: string, value: () => Promise<number | null>): void => {
    sampledGauge(metrics, name, help, [], async () => {
      const measured = await value();
      return measured === null ? [] : [{ labels: {}, value: measured }];
    });
  };
  gauge('notary_stopped', '1 if the log differs from the signed log', async () => (isStopped() ? 1 : 0));
  gauge('notary_signed_entries', 'Signed entries of the log of heads', async () => notary.signed().size);
  gauge('notary_signed_timestamp_seconds', 'Last time when every record was signed', async () => signedAt());
  gauge('notary_checked_timestamp_seconds', 'End of the last successful check of the whole log', async () =>
    checkedAt(),
  );
  gauge('notary_unsigned_records', 'Records not covered by a signed head yet', async () => {
    const { sizes } = notary.signed();
    return (await notarizedPartitionEnds(log)).reduce(
      (sum, { end, ...place }) => sum + end - (sizes.get(partitionText(place)) ?? 0),
      0,
    );
  });
};
