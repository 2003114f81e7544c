import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, unwrapAnswer } from '../api/client.ts';
import { bodyOf, isWorthRepeating, type Wanted } from './use-check.ts';

const WIDTH_PX = 960;
const KEPT_MS = 30_000;

const useObjectUrl = (blob: Blob | undefined): string | null => {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    // The former picture stays until the next one arrives, also after a fault.
    if (blob !== undefined) setUrl(URL.createObjectURL(blob));
  }, [blob]);
  useEffect(() => () => (url === null ? undefined : URL.revokeObjectURL(url)), [url]);
  return url;
};

/** One frame of the film. A newer request cancels the one before. @param time_s null for the frame of the poster */
export const useStill = (wanted: Wanted, time_s: number | null) => {
  const { team_id, project_id, version, template_id, values } = wanted;
  const { data, error, isFetching } = useQuery({
    queryKey: ['still', project_id, version, template_id, values, time_s],
    queryFn: async ({ signal }): Promise<Blob> => {
      const body = { ...bodyOf(wanted), width: WIDTH_PX, format: 'webp' as const, ...(time_s !== null && { time_s }) };
      const picture = await unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/stills', {
          ...{ params: { path: { team_id } }, body, signal, parseAs: 'blob' as const },
        }),
      );
      return picture;
    },
    retry: isWorthRepeating,
    ...{ staleTime: KEPT_MS, gcTime: KEPT_MS },
  });
  return { url: useObjectUrl(data), error, is_drawing: isFetching };
};
