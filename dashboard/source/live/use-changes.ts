import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { refetchSession } from '../api/query-client.ts';
import { listenAcrossTabs } from './stream.ts';

/** Changes are collected for this time, so that one request per render covers several changes. */
const COLLECTED_MS = 250;
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

/** Keys of queries about one render. OF_MANY has the keys of lists and sums. */
const OF_RENDER = ['render', 'events', 'render deliveries'];
const OF_MANY = ['renders', 'statistics'];

/** Refetches changed data of an account on every page that shows it. */
export const useLiveChanges = (account_id: string | null): void => {
  const client = useQueryClient();
  useEffect(() => {
    if (account_id === null) return;
    const ended = new AbortController();
    const changed = new Set<string>();
    let one_timer = 0;
    let many_timer = 0;
    const readOnes = (): void => {
      one_timer = 0;
      for (const id of changed) for (const name of OF_RENDER) void client.invalidateQueries({ queryKey: [name, id] });
      changed.clear();
    };
    const readMany = (): void => {
      many_timer = 0;
      for (const name of OF_MANY) void client.invalidateQueries({ queryKey: [name] });
    };
    listenAcrossTabs(
      account_id,
      (event) => {
        setLive(event.tag !== 'lost' && event.tag !== 'refused');
        if (event.tag === 'refused') refetchSession();
        if (event.tag === 'lost' || event.tag === 'refused' || event.tag === 'alive') return;
        if (event.tag === 'changed') {
          changed.add(event.changed.id);
          one_timer ||= window.setTimeout(readOnes, COLLECTED_MS);
        } else for (const name of OF_RENDER) void client.invalidateQueries({ queryKey: [name] });
        many_timer ||= window.setTimeout(readMany, LISTS_EVERY_MS);
      },
      ended.signal,
    );
    return () => {
      ended.abort();
      clearTimeout(one_timer);
      clearTimeout(many_timer);
      setLive(false);
    };
  }, [client, account_id]);
};
