import type { StatisticsScope } from './documents.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const DAY_DIGITS = 6;

export const hourStart = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;

export const dayOf = (at: number): number => Math.floor(at / DAY_MS);

export const hourMember = (at: number): string => String(Math.floor((at % DAY_MS) / HOUR_MS)).padStart(2, '0');

export const hourOfDay = (day: number, name: string): number => day * DAY_MS + Number(name) * HOUR_MS;

/** JSON, so that no id with separators can equal the key of another account's team. */
const scopeKey = ({ account_id, team_id }: StatisticsScope): string => JSON.stringify([account_id, team_id]);

export const dayKey = (scope: StatisticsScope, day: number): string =>
  `${scopeKey(scope)}:${String(day).padStart(DAY_DIGITS, '0')}`;

export const dayOfKey = (by_day: string): number => Number(by_day.slice(-DAY_DIGITS));

export const currentCountsKey = (scope: StatisticsScope): string => `${scopeKey(scope)}:now`;
