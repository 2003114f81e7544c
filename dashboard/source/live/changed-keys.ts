import type { QueryKey } from '@tanstack/react-query';
import { ME_QUERY_KEY } from '../api/me-query-key.ts';

export const CHANGED_TYPES = ['render', 'endpoint', 'team', 'account'] as const;

/**
 * An element that changed; the page reads it by its id. The type `endpoint` means its deliveries. The types `team` and
 * `account` mean their people, keys, endpoints, projects and names.
 */
export type Changed = { readonly type: (typeof CHANGED_TYPES)[number]; readonly id: string };

export const LISTS_OF_RENDERS: readonly QueryKey[] = [['renders'], ['statistics']];
export const OF_ALL_RENDERS: readonly QueryKey[] = [['render'], ['events'], ['render deliveries']];

const OF_DELIVERIES: readonly QueryKey[] = [
  ...[['deliveries'], ['delivery'], ['render deliveries'], ['endpoint'], ['endpoints']],
];

/** Only queries of the shown page are refetched, so the list may be longer than what changed. */
const OF_CATALOGUE: readonly QueryKey[] = [
  ...[ME_QUERY_KEY, ['endpoints'], ['endpoint'], ['keys'], ['members'], ['invitations'], ['owners'], ['people']],
  ...[
    ['projects'],
    ['project'],
    ['versions'],
    ['assets'],
    ['templates'],
    ['limits'],
    ['downloads'],
    ['audit'],
    ['usage'],
    ['balance'],
  ],
];

/** All that the stream announces without a position. */
export const NOT_OF_RENDERS: readonly QueryKey[] = [...OF_DELIVERIES, ...OF_CATALOGUE];

/** The keys of the queries that a change makes stale, apart from {@link LISTS_OF_RENDERS}. */
export const changedKeys = ({ type, id }: Changed): readonly QueryKey[] => {
  switch (type) {
    case 'render':
      return [...OF_ALL_RENDERS.map((key) => [...key, id]), ['balance']];
    case 'endpoint':
      return OF_DELIVERIES;
    case 'team':
    case 'account':
      return OF_CATALOGUE;
  }
};
