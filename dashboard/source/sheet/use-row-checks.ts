import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ApiRefusal, api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { type Field, ownValues, type Values } from '../new-video/field-values.ts';
import { isWorthRepeating, type Wanted } from '../new-video/use-check.ts';
import { checkInBatches, type SendBatch } from './check-batches.ts';

type Check = Schemas['ProjectCheck'];

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

type Checked = Omit<Wanted, 'values'>;

/** Waits as long as the account sends too many requests. */
const openSender =
  (
    client: QueryClient,
    { team_id, project_id, template_id }: Checked,
    draft: boolean,
    signal: AbortSignal,
  ): SendBatch =>
  async (rows) => {
    const { data } = await client.fetchQuery({
      queryKey: ['check-batch', project_id, template_id, draft, rows],
      queryFn: () =>
        unwrapAnswer(
          api.POST('/manage/v1/teams/{team_id}/projects/check/batch', {
            ...{ params: { path: { team_id } }, body: { project_id, template_id, draft, rows: [...rows] } },
          }),
        ),
      retry: (count, failure) => !signal.aborted && (isTooMany(failure) || isWorthRepeating(count, failure)),
      ...{ retryDelay: PAUSE_MS, staleTime: 0, gcTime: 0 },
    });
    return data;
  };

/** Checks each distinct row of values once. */
export const useRowChecks = (
  of: Checked & { readonly fields: readonly Field[] },
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
    const { signal } = ended;
    const distinct = new Map(wanted.map((values) => [keyOf(values), ownValues(fields, values)]));
    for (const key of checks.keys()) distinct.delete(key);
    setError(null);
    const send = openSender(client, { team_id, project_id, version, template_id }, draft, signal);
    void checkInBatches(distinct, send, collect, signal).catch((failure: unknown) => {
      if (!signal.aborted) setError(failure instanceof Error ? failure : new Error(String(failure)));
    });
    return () => ended.abort();
  }, [client, team_id, project_id, version, template_id, keyOf, wanted, draft, round]);
  const checkOf = useCallback((values: Values) => checks.get(keyOf(values)), [checks, keyOf]);
  return { of: checkOf, error, retry: () => setRound(round + 1) };
};
