import { useQueryClient } from '@tanstack/react-query';
import pLimit from 'p-limit';
import { useEffect, useState } from 'react';
import { ApiRefusal, type Schemas } from '../api/client.ts';
import type { Values } from '../new-video/field-values.ts';
import { checkQuery, isWorthRepeating, type Wanted } from '../new-video/use-check.ts';

type Check = Schemas['ProjectCheck'];

const AT_ONCE = 4;
const PAUSE_MS = 1_000;

const isTooMany = (error: Error): boolean => error instanceof ApiRefusal && error.status === 429;

export type RowChecks = {
  /** Undefined until the service has checked the values. */
  readonly of: (values: Values) => Check | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
};

/** Checks each distinct row of values once, a few at a time. */
export const useRowChecks = (of: Omit<Wanted, 'values'>, wanted: readonly Values[], draft: boolean): RowChecks => {
  const client = useQueryClient();
  const { team_id, project_id, version, template_id } = of;
  const [checks, setChecks] = useState<ReadonlyMap<string, Check>>(new Map());
  const [error, setError] = useState<Error | null>(null);
  const [round, setRound] = useState(0);
  const keyOf = (values: Values): string => JSON.stringify([version, draft, values]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a finished check must not start the others again
  useEffect(() => {
    const ended = new AbortController();
    const limit = pLimit(AT_ONCE);
    const distinct = new Map(wanted.map((values) => [keyOf(values), values]));
    setError(null);
    const check = async (key: string, values: Values): Promise<void> => {
      if (ended.signal.aborted) return;
      const query = checkQuery({ team_id, project_id, version, template_id, values }, draft);
      try {
        const found = await client.fetchQuery({
          ...query,
          retry: (count, failure) => !ended.signal.aborted && (isTooMany(failure) || isWorthRepeating(count, failure)),
          retryDelay: PAUSE_MS,
          staleTime: Number.POSITIVE_INFINITY,
        });
        if (!ended.signal.aborted) setChecks((before) => new Map(before).set(key, found));
      } catch (failure) {
        if (ended.signal.aborted) return;
        ended.abort();
        setError(failure instanceof Error ? failure : new Error(String(failure)));
      }
    };
    for (const [key, values] of distinct) if (!checks.has(key)) void limit(() => check(key, values));
    return () => ended.abort();
  }, [client, team_id, project_id, version, template_id, wanted, draft, round]);
  return { of: (values) => checks.get(keyOf(values)), error, retry: () => setRound(round + 1) };
};
