import { Loader } from '@mantine/core';
import { IconFileTypography, IconMusic, IconPhoto } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import pLimit from 'p-limit';
import { ApiRefusal } from '../../api/client.ts';
import { drawStill } from '../../api/draw-still.ts';
import { useObjectUrl } from '../../shown/use-object-url.ts';
import { sentDocument } from './sent-document.ts';

const WIDTH_PX = 320;
/** Other members of the account need the stills service too. */
const drawing = pLimit(2);

const ICONS = { audio: IconMusic, font: IconFileTypography, image: IconPhoto, video: IconPhoto };

export type Drawn = {
  readonly team_id: string;
  /** Names what is drawn. The same name always has the same picture. */
  readonly name: string;
  /** Returns the document that is drawn. */
  readonly document: () => Promise<{ readonly [name: string]: unknown }>;
};

/** A picture that the engine draws. @param drawn null shows an icon */
export const EngineStill = (props: { readonly drawn: Drawn | null; readonly icon?: keyof typeof ICONS }) => {
  const { drawn, icon = 'image' } = props;
  const { data, isFetching } = useQuery({
    queryKey: ['drawn', drawn?.team_id, drawn?.name],
    queryFn: ({ signal }): Promise<Blob> =>
      drawing(async () => {
        signal.throwIfAborted();
        const project = sentDocument((await drawn?.document()) ?? {});
        return await drawStill(drawn?.team_id ?? '', { project, width: WIDTH_PX }, signal);
      }),
    enabled: drawn !== null,
    // The page is complete without it, so a fault has no message.
    retry: (count, error) => count < 2 && (!(error instanceof ApiRefusal) || error.status >= 429),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const url = useObjectUrl(data);
  const Icon = ICONS[icon];
  return url === null ? (
    <div className="still still-wide">{isFetching ? <Loader size="xs" /> : <Icon size={22} aria-hidden />}</div>
  ) : (
    <img className="still still-wide" src={url} alt="" />
  );
};
