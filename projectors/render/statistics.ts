import type { Render, RenderStatus, Transition } from '../../domain/render/render.ts';
import type { StoredEvent } from '../../domain/render/stored-event.ts';
import { bucketOf } from '../../domain/statistics/histogram.ts';
import { OTHER_CODES } from '../../domain/statistics/hours.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { StatisticsDocument, StatisticsScope } from '../../read-models/statistics/documents.ts';
import { dayKey, dayOf, hourName, nowKey } from '../../read-models/statistics/keys.ts';
import type { WriteOperation } from '../checkpoint/projection.ts';

/** What a batch of one partition adds to one document: by path, as the store adds it. */
export type StatisticsChange = StatisticsScope & {
  readonly by_day: string;
  readonly partition: number;
  /** Offsets of the first and the last event that count in it. */
  readonly first_offset: number;
  readonly offset: number;
  readonly added: ReadonlyMap<string, number>;
};

/** A transition, and the render after it. */
export type Moved = {
  readonly transition: Transition;
  readonly render: Render;
  /** Those before it and with it. */
  readonly facts: readonly StoredEvent[];
};

const CODE = /^[a-z][a-z0-9_]{0,39}$/;

/** When a render came into a status first. */
const cameInto = (facts: readonly StoredEvent[], status: RenderStatus): number | null => {
  for (const stored of facts)
    if (stored.verdict === 'accepted' && stored.transition?.to === status) return stored.transition.at;
  return null;
};

/** What a transition adds to its hour. */
const inHour = ({ transition: { to, at }, render, facts }: Moved): readonly (readonly [string, number])[] => {
  switch (to) {
    case 'initializing':
      return [['requested', 1]];
    case 'processing':
      return [[`waits.${bucketOf(at - render.created_at)}`, 1]];
    case 'complete': {
      const begun = cameInto(facts, 'processing');
      const { charged_credits } = render;
      return [
        ['completed', 1],
        ...(charged_credits === 0 ? [] : [['charged_credits', charged_credits] as const]),
        ...(begun === null ? [] : [[`durations.${bucketOf(at - begun)}`, 1] as const]),
      ];
    }
    case 'failed': {
      const code = render.failure?.code ?? OTHER_CODES;
      return [
        ['failed', 1],
        [`failures.${CODE.test(code) ? code : OTHER_CODES}`, 1],
      ];
    }
    case 'ready':
    case 'queued':
    case 'finalizing':
      return [];
  }
};

type Growing = Omit<StatisticsChange, 'added' | 'offset'> & { offset: number; readonly added: Map<string, number> };

/** The changes of one batch, as they grow. */
export type StatisticsChanges = {
  readonly add: (record: Pick<LogRecord, 'partition' | 'offset'>, moved: Moved) => void;
  readonly all: () => readonly StatisticsChange[];
};

/**
 * Each transition counts in the hour of its own time, for the team and for the account, and moves the render from one status
 * to the next. No clock, no batch and no other partition has a part in it.
 */
export const statisticsChanges = (): StatisticsChanges => {
  const changes = new Map<string, Growing>();

  const change = (
    { partition, offset }: Pick<LogRecord, 'partition' | 'offset'>,
    scope: StatisticsScope,
    by_day: string,
    added: readonly (readonly [string, number])[],
  ): void => {
    if (added.length === 0) return;
    const known = changes.get(by_day);
    const growing = known ?? { ...scope, by_day, partition, first_offset: offset, offset, added: new Map() };
    if (known === undefined) changes.set(by_day, growing);
    growing.offset = offset;
    for (const [path, count] of added) growing.added.set(path, (growing.added.get(path) ?? 0) + count);
  };

  return {
    add: (record, moved) => {
      const { transition, render } = moved;
      const { account_id } = render;
      const hour = hourName(transition.at);
      const counted = inHour(moved).map(([path, count]) => [`hours.${hour}.${path}`, count] as const);
      const statuses = [
        ...(transition.from === null ? [] : [[`statuses.${transition.from}`, -1] as const]),
        [`statuses.${transition.to}`, 1] as const,
      ];
      for (const team_id of [render.team_id, null]) {
        const scope = { account_id, team_id };
        change(record, scope, dayKey(scope, dayOf(transition.at)), counted);
        change(record, scope, nowKey(scope), statuses);
      }
    },
    all: () => [...changes.values()],
  };
};

export const statisticsId = ({ by_day, partition }: Pick<StatisticsChange, 'by_day' | 'partition'>): string =>
  `${by_day}/${partition}`;

/** What came and went within the batch changes nothing, and is written all the same: its offset counts. */
export const statisticsWrite = (change: StatisticsChange): WriteOperation => {
  const { account_id, team_id, by_day, partition, first_offset, offset, added } = change;
  return {
    updateOne: {
      filter: { _id: statisticsId(change), offset: { $lt: first_offset } },
      update: {
        $inc: Object.fromEntries(added),
        $set: { account_id, team_id, by_day, partition, offset },
      },
      upsert: true,
    },
  };
};

/** A document of counts with more added at a path like `hours.05.requested`. */
const withAdded = (
  counts: unknown,
  [name = '', ...inner]: readonly string[],
  count: number,
): Record<string, unknown> => {
  const before: Record<string, unknown> = { ...Object(counts) };
  const sum = inner.length === 0 ? Number(before[name] ?? 0) + count : withAdded(before[name], inner, count);
  return { ...before, [name]: sum };
};

/** What the store has after {@link statisticsWrite}. */
export const statisticsAfter = (before: StatisticsDocument | null, change: StatisticsChange): StatisticsDocument => {
  const { account_id, team_id, by_day, partition, offset, added } = change;
  let counts: Record<string, unknown> = { ...before };
  for (const [path, count] of added) counts = withAdded(counts, path.split('.'), count);
  return { ...counts, _id: statisticsId(change), account_id, team_id, by_day, partition, offset };
};
