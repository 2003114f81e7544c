import { Loader } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { IconFileTypography, IconMusic, IconPhoto } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import pLimit from 'p-limit';
import { ApiRefusal, type Schemas } from '../../api/client.ts';
import { drawStill } from '../../api/draw-still.ts';
import { useObjectUrl } from '../../shown/use-object-url.ts';

const WIDTH_PX = 320;
/** Other members of the account need the stills service too. */
const drawing = pLimit(2);

const ICONS = { audio: IconMusic, font: IconFileTypography, image: IconPhoto, video: IconPhoto };

export type Drawn = {
  readonly team_id: string;
  /** Names what is drawn. The same name always has the same picture. */
  readonly name: string;
  /** Returns what is drawn. */
  readonly still: () => Promise<Pick<Schemas['StillRequest'], 'project' | 'project_id'>>;
};

/**
 * A picture that the engine draws when the person scrolls to it.
 *
 * @param drawn null shows an icon. @param props.large fills its card. @param props.former is shown until then
 */
export const EngineStill = (props: {
  readonly drawn: Drawn | null;
  readonly icon?: keyof typeof ICONS;
  readonly large?: boolean;
  readonly former?: string | null;
}) => {
  const { drawn, icon = 'image', large = false, former = null } = props;
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const { data, isFetching } = useQuery({
    queryKey: ['drawn', drawn?.team_id, drawn?.name],
    queryFn: ({ signal }): Promise<Blob> =>
      drawing(async () => {
        signal.throwIfAborted();
        return await drawStill(drawn?.team_id ?? '', { ...(await drawn?.still()), width: WIDTH_PX }, signal);
      }),
    enabled: drawn !== null && inViewport,
    // The page is complete without it, so a fault has no message.
    retry: (count, error) => count < 2 && (!(error instanceof ApiRefusal) || error.status >= 429),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const url = useObjectUrl(data) ?? former;
  const Icon = ICONS[icon];
  const className = `still ${large ? 'still-large' : 'still-wide'}`;
  return (
    <div ref={ref}>
      {url === null ? (
        <div className={className}>
          {isFetching ? <Loader size="xs" /> : <Icon size={large ? 28 : 22} aria-hidden />}
        </div>
      ) : (
        <img className={className} src={url} alt="" />
      )}
    </div>
  );
};
