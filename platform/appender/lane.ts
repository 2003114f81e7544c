import type { AppendFault } from '../event-log/event-log.ts';
import type { WaitingAppend } from './append-queue.ts';
import type { NumberedBatch, ProducerIdentity, SendOutcome } from './producer.ts';

/** A batch is sent unchanged until its outcome is known, so that the broker recognises a repetition. */
export type InFlightBatch = {
  readonly numbered: NumberedBatch;
  readonly appends: readonly WaitingAppend[];
  readonly size_bytes: number;
  /** The batch may be in the log since this time (monotonic ms); null if it is certainly not. */
  readonly since: number | null;
  readonly since_before_try: number | null;
};

export type PartitionProducerState = {
  readonly topic: string;
  readonly partition: number;
  readonly batch: InFlightBatch | null;
  /**
   * True while a broker has not answered a request with a batch of this partition, even after the lane gave up the
   * batch.
   */
  readonly is_under_way: boolean;
  /** Null before the first batch, and after the lane gave up a batch of unknown outcome. */
  readonly identity: ProducerIdentity | null;
  readonly sequence: number;
  /**
   * The partition had no leader, or a broker refused a batch. Until a broker accepts a batch quickly, the partition
   * uses separate connections.
   */
  readonly is_impeded: boolean;
  readonly not_before: number;
  readonly fault: string | null;
};

export type ProducerEvent =
  | { readonly tag: 'batched'; readonly appends: readonly WaitingAppend[]; readonly identity: ProducerIdentity }
  | { readonly tag: 'sent'; readonly now: number }
  | {
      readonly tag: 'answered';
      readonly numbered: NumberedBatch;
      readonly outcome: SendOutcome;
      readonly took_ms: number;
      readonly now: number;
    }
  | { readonly tag: 'leaderless'; readonly now: number }
  | { readonly tag: 'time_passed'; readonly now: number };

export type ProducerAction =
  | {
      readonly tag: 'appended';
      readonly appends: readonly WaitingAppend[];
      readonly offset: number;
      readonly append_time_ms: number;
    }
  | { readonly tag: 'fail'; readonly appends: readonly WaitingAppend[]; readonly fault: AppendFault }
  /** These appends go before all waiting appends. */
  | { readonly tag: 'put_back'; readonly appends: readonly WaitingAppend[] }
  /** New partitions must not use the shared identity. */
  | { readonly tag: 'drop_identity' }
  | { readonly tag: 'report_impeded'; readonly reason: string }
  | { readonly tag: 'report_well' };

type Transition = readonly [PartitionProducerState, readonly ProducerAction[]];
type Answer = Extract<ProducerEvent, { readonly tag: 'answered' }>;

/** A batch with an unknown outcome is sent again for this long, to learn whether the log contains it. */
const LEARN_WITHIN_MS = 10_000;
const RETRY_MS = 200;
/** A partition leaves its separate connections when a broker accepts a batch within this time. */
const WELL_WITHIN_MS = 1_000;
const SEQUENCES = 2 ** 31;

export const newProducerState = (topic: string, partition: number): PartitionProducerState => ({
  ...{ topic, partition, batch: null, is_under_way: false, identity: null, sequence: 0 },
  ...{ is_impeded: false, not_before: 0, fault: null },
});

export const outcomeUnknownFault = (message: string): AppendFault => ({ tag: 'outcome_unknown', message });

/** A given-up batch may still be written later. The next batch must not look like its repetition. */
const disowned = (lane: PartitionProducerState): PartitionProducerState => ({
  ...lane,
  batch: null,
  identity: null,
  sequence: 0,
});

const hindered = (lane: PartitionProducerState, reason: string, is_unanswered: boolean, now: number): Transition => {
  const waiting: PartitionProducerState = { ...lane, fault: reason, not_before: now + RETRY_MS };
  // A missing answer does not make the partition impeded, because the partition itself may be healthy.
  if (lane.is_impeded || is_unanswered) return [waiting, []];
  return [{ ...waiting, is_impeded: true }, [{ tag: 'report_impeded', reason }]];
};

const batched = (
  lane: PartitionProducerState,
  { appends, identity }: Extract<ProducerEvent, { readonly tag: 'batched' }>,
): PartitionProducerState => {
  const { topic, partition, sequence } = lane;
  const records = appends.flatMap((append) => append.records);
  const batch: InFlightBatch = {
    numbered: { topic, partition, records, identity, first_sequence: sequence },
    appends,
    size_bytes: appends.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    ...{ since: null, since_before_try: null },
  };
  return { ...lane, identity, batch };
};

const sent = (lane: PartitionProducerState, now: number): PartitionProducerState => {
  const { batch } = lane;
  if (batch === null) return lane;
  const { since } = batch;
  return { ...lane, is_under_way: true, batch: { ...batch, since: since ?? now, since_before_try: since } };
};

const appended = (
  lane: PartitionProducerState,
  batch: InFlightBatch,
  took_ms: number,
  offset: number,
  append_time_ms: number,
): Transition => {
  const is_well = lane.is_impeded && took_ms <= WELL_WITHIN_MS;
  const next: PartitionProducerState = {
    ...{ ...lane, batch: null, fault: null, is_impeded: lane.is_impeded && !is_well },
    sequence: (lane.sequence + batch.numbered.records.length) % SEQUENCES,
  };
  const well: readonly ProducerAction[] = is_well ? [{ tag: 'report_well' }] : [];
  return [next, [...well, { tag: 'appended', appends: batch.appends, offset, append_time_ms }]];
};

const putBack = (lane: PartitionProducerState, { appends }: InFlightBatch): Transition => [
  { ...lane, batch: null },
  [{ tag: 'put_back', appends }],
];

const answered = (before: PartitionProducerState, { numbered, outcome, took_ms, now }: Answer): Transition => {
  const lane: PartitionProducerState = { ...before, is_under_way: false };
  const { batch } = lane;
  if (batch?.numbered !== numbered) return [lane, []];
  const { appends, since_before_try } = batch;
  const is_unsure = since_before_try !== null;
  if (outcome.tag === 'appended') return appended(lane, batch, took_ms, outcome.offset, outcome.append_time_ms);
  if (outcome.tag === 'refused') {
    const { message, too_large } = outcome;
    const fault: AppendFault = { tag: is_unsure ? 'outcome_unknown' : 'not_appended', message, too_large };
    const failed: ProducerAction = { tag: 'fail', appends, fault };
    return is_unsure ? [disowned(lane), [{ tag: 'drop_identity' }, failed]] : [{ ...lane, batch: null }, [failed]];
  }
  const [waiting, reports] = hindered(lane, outcome.message, outcome.is_unanswered, now);
  if (outcome.tag === 'unknown') return [waiting, reports];
  if (outcome.tag === 'not_written') {
    // An earlier try may have written the batch, so the batch must stay unchanged.
    if (is_unsure) return [{ ...waiting, batch: { ...batch, since: since_before_try } }, reports];
    const [next, actions] = putBack(waiting, batch);
    return [next, [...reports, ...actions]];
  }
  const dropped: readonly ProducerAction[] = [...reports, { tag: 'drop_identity' }];
  if (is_unsure)
    return [disowned(waiting), [...dropped, { tag: 'fail', appends, fault: outcomeUnknownFault(outcome.message) }]];
  return [disowned(waiting), [...dropped, { tag: 'put_back', appends }]];
};

const expired = (lane: PartitionProducerState, now: number): Transition => {
  const { batch, fault } = lane;
  if (batch === null || batch.since === null || now - batch.since <= LEARN_WITHIN_MS) return [lane, []];
  return [
    disowned(lane),
    [
      { tag: 'drop_identity' },
      { tag: 'fail', appends: batch.appends, fault: outcomeUnknownFault(fault ?? 'the broker did not answer') },
    ],
  ];
};

export const applyProducerEvent = (lane: PartitionProducerState, event: ProducerEvent): Transition => {
  switch (event.tag) {
    case 'batched':
      return [batched(lane, event), []];
    case 'sent':
      return [sent(lane, event.now), []];
    case 'answered':
      return answered(lane, event);
    case 'leaderless':
      return hindered(lane, `partition ${lane.partition} of ${lane.topic} has no leader`, false, event.now);
    case 'time_passed':
      return expired(lane, event.now);
  }
};

export const canSend = (lane: PartitionProducerState, now: number): boolean =>
  !lane.is_under_way && now >= lane.not_before;
