import type { Render, RenderStatus, Transition } from '../../domain/render/render.ts';
import type { StoredEvent } from '../../domain/render/stored-event.ts';
import { bucketOf } from '../../domain/statistics/histogram.ts';
import { OTHER_CODES_KEY } from '../../domain/statistics/hours.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { StatisticsDocument, StatisticsScope } from '../../read-models/statistics/documents.ts';
import { currentCountsKey, dayKey, dayOf, hourMember } from '../../read-models/statistics/keys.ts';
import type { WriteOperation } from '../checkpoint/projection.ts';

export type StatisticsChange = StatisticsScope & {
  readonly by_day: string;
  readonly partition: number;
  readonly first_offset: number;
  readonly offset: number;
  readonly added: ReadonlyMap<string, number>;
};

export type AppliedTransition = {
  readonly transition: Transition;
  readonly render: Render;
  readonly facts: readonly StoredEvent[];
};

const CODE = /^[a-z][a-z0-9_]{0,39}$/;

const enteredAt = (facts: readonly StoredEvent[], status: RenderStatus): number | null => {
  for (const stored of facts)
    if (stored.verdict === 'accepted' && stored.transition?.to === status) return stored.transition.at;
  return null;
};

const inHour = ({
  transition: { to, at },
  render,
  facts,
}: AppliedTransition): readonly (readonly [string, number])[] => {
  switch (to) {
    case 'initializing':
      return [['requested', 1]];
    case 'processing':
      return [[`waits.${bucketOf(at - render.created_at)}`, 1]];
    case 'complete': {
      const processing_at = enteredAt(facts, 'processing');
      const { charged_credits } = render;
      return [
        ['completed', 1],
        ...(charged_credits === 0 ? [] : [['charged_credits', charged_credits] as const]),
        ...(processing_at === null ? [] : [[`durations.${bucketOf(at - processing_at)}`, 1] as const]),
      ];
    }
    case 'failed': {
      const code = render.failure?.code ?? OTHER_CODES_KEY;
      return [
        ['failed', 1],
        [`failures.${CODE.test(code) ? code : OTHER_CODES_KEY}`, 1],
      ];
    }
    case 'ready':
    case 'queued':
    case 'finalizing':
      return [];
  }
};

type Growing = Omit<StatisticsChange, 'added' | 'offset'> & { offset: number; readonly added: Map<string, number> };

type OfScope = { readonly scope: StatisticsScope; readonly days: Map<number, Growing>; now: Growing | null };

type Place = Pick<LogRecord, 'partition' | 'offset'>;

export type StatisticsChanges = {
  readonly add: (place: Place, moved: AppliedTransition) => void;
  readonly all: () => readonly StatisticsChange[];
};

/**
 * Each transition counts in the hour of its append, for the team and the account. The result does not depend on the
 * clock, on batches or on other partitions.
 */
export const statisticsChanges = (): StatisticsChanges => {
  const scopes = new Map<string, Map<string | null, OfScope>>();
  const changes: Growing[] = [];

  const ofScope = (account_id: string, team_id: string | null): OfScope => {
    const of_account = scopes.get(account_id) ?? new Map<string | null, OfScope>();
    const known = of_account.get(team_id);
    if (known !== undefined) return known;
    const fresh = { scope: { account_id, team_id }, days: new Map(), now: null };
    scopes.set(account_id, of_account.set(team_id, fresh));
    return fresh;
  };

  const startChange = (scope: StatisticsScope, by_day: string, { partition, offset }: Place): Growing => {
    const growing = { ...scope, by_day, partition, first_offset: offset, offset, added: new Map() };
    changes.push(growing);
    return growing;
  };

  const addTo = (growing: Growing, { offset }: Place, path: string, count: number): void => {
    growing.offset = offset;
    growing.added.set(path, (growing.added.get(path) ?? 0) + count);
  };

  return {
    add: (place, moved) => {
      const { transition, render } = moved;
      const counted = inHour(moved);
      const day = dayOf(transition.at);
      const hour = `hours.${hourMember(transition.at)}`;
      for (const team_id of [render.team_id, null]) {
        const own = ofScope(render.account_id, team_id);
        if (counted.length > 0) {
          const of_day = own.days.get(day) ?? startChange(own.scope, dayKey(own.scope, day), place);
          own.days.set(day, of_day);
          for (const [path, count] of counted) addTo(of_day, place, `${hour}.${path}`, count);
        }
        own.now ??= startChange(own.scope, currentCountsKey(own.scope), place);
        if (transition.from !== null) addTo(own.now, place, `statuses.${transition.from}`, -1);
        addTo(own.now, place, `statuses.${transition.to}`, 1);
      }
    },
    all: () => changes,
  };
};

export const statisticsId = ({ by_day, partition }: Pick<StatisticsChange, 'by_day' | 'partition'>): string =>
  `${by_day}/${partition}`;

/** Increments of zero are written too, because the document's offset must move. */
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

/** @param path like `hours.05.requested`, split */
const withAdded = (
  counts: unknown,
  [name = '', ...inner]: readonly string[],
  count: number,
): Record<string, unknown> => {
  // Without a prototype, because a failure code may be `constructor`, which every plain object has.
  const before: Record<string, unknown> = { __proto__: null, ...Object(counts) };
  const sum = inner.length === 0 ? Number(before[name] ?? 0) + count : withAdded(before[name], inner, count);
  return { ...before, [name]: sum };
};

export const statisticsAfter = (before: StatisticsDocument | null, change: StatisticsChange): StatisticsDocument => {
  const { account_id, team_id, by_day, partition, offset, added } = change;
  let counts: Record<string, unknown> = { ...before };
  for (const [path, count] of added) counts = withAdded(counts, path.split('.'), count);
  return { ...counts, _id: statisticsId(change), account_id, team_id, by_day, partition, offset };
};
