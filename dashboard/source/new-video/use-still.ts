import { useQuery } from '@tanstack/react-query';
import { drawStill } from '../api/draw-still.ts';
import { useObjectUrl } from '../shown/use-object-url.ts';
import { bodyOf, isWorthRepeating, type Wanted } from './use-check.ts';

const WIDTH_PX = 960;
const KEPT_MS = 30_000;

/** One frame of the film. A newer request cancels the one before. @param time_s null for the frame of the poster */
export const useStill = (wanted: Wanted, time_s: number | null) => {
  const { team_id, project_id, version, template_id, values } = wanted;
  const { data, error, isFetching } = useQuery({
    queryKey: ['still', project_id, version, template_id, values, time_s],
    queryFn: ({ signal }) =>
      drawStill(team_id, { ...bodyOf(wanted), width: WIDTH_PX, ...(time_s !== null && { time_s }) }, signal),
    retry: isWorthRepeating,
    ...{ staleTime: KEPT_MS, gcTime: KEPT_MS },
  });
  return { url: useObjectUrl(data), error, is_drawing: isFetching };
};
