import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { ApiRefusal, api, unwrapAnswer } from '../api/client.ts';
import type { Values } from './field-values.ts';

/** The input of a check or a still. */
export type Wanted = {
  readonly team_id: string;
  readonly project_id: string;
  /** Another version of the project may have other faults, another price and other pictures. */
  readonly version: number;
  readonly template_id: string | null;
  readonly values: Values;
};

export const bodyOf = ({ project_id, template_id, values }: Omit<Wanted, 'team_id' | 'version'>) => ({
  project_id,
  ...(template_id !== null && { template_id, values }),
});

const MAX_TRIES = 4;

/** Too many requests of the account at once pass, as an outage does. */
export const isWorthRepeating = (count: number, error: Error): boolean =>
  count < MAX_TRIES && (!(error instanceof ApiRefusal) || error.status >= 500 || error.status === 429);

const KEPT_MS = 60_000;

const checkQuery = (wanted: Wanted, draft: boolean) => {
  const { team_id, project_id, version, template_id, values } = wanted;
  return queryOptions({
    queryKey: ['check', project_id, version, template_id, values, draft],
    queryFn: ({ signal }) =>
      unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/projects/check', {
          ...{ params: { path: { team_id } }, body: { ...bodyOf(wanted), draft }, signal },
        }),
      ),
    retry: isWorthRepeating,
    ...{ staleTime: KEPT_MS, gcTime: KEPT_MS },
  });
};

/** Faults, price and length. The former ones stay until the new ones arrive. */
export const useCheck = (wanted: Wanted, draft: boolean) =>
  useQuery({ ...checkQuery(wanted, draft), placeholderData: keepPreviousData });
