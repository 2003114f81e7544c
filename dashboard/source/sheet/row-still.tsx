import { useQuery } from '@tanstack/react-query';
import pLimit from 'p-limit';
import { drawStill } from '../api/draw-still.ts';
import { bodyOf, isWorthRepeating, type Wanted } from '../new-video/use-check.ts';
import { ThumbnailImage } from '../shown/still.tsx';
import { useObjectUrl } from '../shown/use-object-url.ts';

const WIDTH_PX = 256;
const KEPT_MS = 10 * 60_000;

/** The stills of an account are limited, and its other people need some too. */
const slots = pLimit(2);

/** The still of a row's values. Only rows on the page draw one, and a newer one cancels the one before. */
export const RowStill = ({ wanted, is_valid }: { readonly wanted: Wanted; readonly is_valid: boolean }) => {
  const { team_id, project_id, version, template_id, values } = wanted;
  const { data } = useQuery({
    queryKey: ['still', project_id, version, template_id, values, 'row'],
    queryFn: ({ signal }) =>
      slots(() => {
        signal.throwIfAborted();
        return drawStill(team_id, { ...bodyOf(wanted), width: WIDTH_PX }, signal);
      }),
    enabled: is_valid,
    retry: isWorthRepeating,
    ...{ staleTime: KEPT_MS, gcTime: KEPT_MS },
  });
  return <ThumbnailImage url={useObjectUrl(data)} />;
};
