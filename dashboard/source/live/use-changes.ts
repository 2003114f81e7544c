import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { refetchSession } from '../api/query-client.ts';
import { type Changed, changedKeys, LISTS_OF_RENDERS, NOT_OF_RENDERS, OF_ALL_RENDERS } from './changed-keys.ts';
import { type LiveEvent, listenAcrossTabs } from './stream.ts';

/** Changes are collected for this time, so that one request per element covers several changes. */
const COLLECTED_MS = 100;
/** The minimum interval between refetches of lists and sums. */
const LISTS_EVERY_MS = 1_000;
/** The refetch interval while changes arrive, in case one is lost. */
const ASKED_ANYWAY_MS = 30_000;

let is_live = false;
const watchers = new Set<() => void>();
const setLive = (live: boolean): void => {
  if (live === is_live) return;
  is_live = live;
  for (const watcher of watchers) watcher();
};

/**
 * The refetch interval of changing data, in ms.
 *
 * @param fallback_ms the interval while no changes arrive
 */
export const useRefetchInterval = (fallback_ms: number): number => {
  const live = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => is_live,
  );
  return live ? ASKED_ANYWAY_MS : fallback_ms;
};

/** Refetches changed data of an account on every page that shows it. */
export const useLiveChanges = (account_id: string | null): void => {
  const client = useQueryClient();
  useEffect(() => {
    if (account_id === null) return;
    const ended = new AbortController();
    const invalidate = (keys: readonly QueryKey[]): void => {
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    };
    const changed = new Map<string, Changed>();
    let one_timer = 0;
    let many_timer = 0;
    const readOnes = (): void => {
      one_timer = 0;
      for (const change of changed.values()) invalidate(changedKeys(change));
      changed.clear();
    };
    const readMany = (): void => {
      many_timer = 0;
      invalidate(LISTS_OF_RENDERS);
    };
    const readRenders = (): void => {
      many_timer ||= window.setTimeout(readMany, LISTS_EVERY_MS);
    };
    const hear = (event: LiveEvent): void => {
      setLive(event.tag !== 'lost' && event.tag !== 'refused');
      switch (event.tag) {
        case 'changed':
          changed.set(`${event.changed.type} ${event.changed.id}`, event.changed);
          one_timer ||= window.setTimeout(readOnes, COLLECTED_MS);
          if (event.changed.type === 'render') readRenders();
          break;
        case 'resumed':
          invalidate(NOT_OF_RENDERS);
          break;
        case 'reset':
          invalidate([...OF_ALL_RENDERS, ...NOT_OF_RENDERS]);
          readRenders();
          break;
        case 'refused':
          refetchSession();
          break;
        default:
      }
    };
    listenAcrossTabs(account_id, hear, ended.signal);
    return () => {
      ended.abort();
      clearTimeout(one_timer);
      clearTimeout(many_timer);
      setLive(false);
    };
  }, [client, account_id]);
};
