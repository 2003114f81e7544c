import { useQueryClient } from '@tanstack/react-query';
import pLimit from 'p-limit';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ApiRefusal, type Schemas } from '../api/client.ts';
import { type Field, ownValues, type Values } from '../new-video/field-values.ts';
import { checkQuery, isWorthRepeating, type Wanted } from '../new-video/use-check.ts';

type Check = Schemas['ProjectCheck'];

const AT_ONCE = 4;
const PAUSE_MS = 1_000;
/** Results are shown together, because each change of the page reads all rows. */
const SHOWN_EVERY_MS = 250;

const isTooMany = (error: Error): boolean => error instanceof ApiRefusal && error.status === 429;

export type RowChecks = {
  /** Undefined until the service has checked the values. The same function until there are more results. */
  readonly of: (values: Values) => Check | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
};

type Results = ReadonlyMap<string, Check>;

/** Collects results, and shows them after a pause. */
const openCollector = (show: (found: Results) => void) => {
  let found = new Map<string, Check>();
  const showAll = (): void => {
    show(found);
    found = new Map();
  };
  return (key: string, check: Check): void => {
    if (found.size === 0) window.setTimeout(showAll, SHOWN_EVERY_MS);
    found.set(key, check);
  };
};

/** Rows of equal values have one key. */
const useKeys = (version: number, fields: readonly Field[], draft: boolean): ((values: Values) => string) =>
  useMemo(() => {
    const keys = new WeakMap<Values, string>();
    return (values) => {
      const key = keys.get(values) ?? JSON.stringify([version, draft, ownValues(fields, values)]);
      keys.set(values, key);
      return key;
    };
  }, [version, fields, draft]);

/** Checks each distinct row of values once, a few at a time. */
export const useRowChecks = (
  of: Omit<Wanted, 'values'> & { readonly fields: readonly Field[] },
  wanted: readonly Values[],
  draft: boolean,
): RowChecks => {
  const client = useQueryClient();
  const { team_id, project_id, version, template_id, fields } = of;
  const [checks, setChecks] = useState<Results>(new Map());
  const [error, setError] = useState<Error | null>(null);
  const [round, setRound] = useState(0);
  const keyOf = useKeys(version, fields, draft);
  const [collect] = useState(() => openCollector((found) => setChecks((before) => new Map([...before, ...found]))));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a finished check must not start the others again
  useEffect(() => {
    const ended = new AbortController();
    const limit = pLimit(AT_ONCE);
    const distinct = new Map(wanted.map((values) => [keyOf(values), ownValues(fields, values)]));
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
        collect(key, found);
      } catch (failure) {
        if (ended.signal.aborted) return;
        ended.abort();
        setError(failure instanceof Error ? failure : new Error(String(failure)));
      }
    };
    for (const [key, values] of distinct) if (!checks.has(key)) void limit(() => check(key, values));
    return () => ended.abort();
  }, [client, team_id, project_id, version, template_id, keyOf, wanted, draft, round]);
  const checkOf = useCallback((values: Values) => checks.get(keyOf(values)), [checks, keyOf]);
  return { of: checkOf, error, retry: () => setRound(round + 1) };
};
