import { Loader } from '@mantine/core';
import { IconFileTypography, IconMusic, IconPhoto } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import pLimit from 'p-limit';
import { useEffect, useState } from 'react';
import { ApiRefusal, api, unwrapAnswer } from '../../api/client.ts';
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
        const body = {
          project: sentDocument((await drawn?.document()) ?? {}),
          width: WIDTH_PX,
          format: 'webp' as const,
        };
        const params = { path: { team_id: drawn?.team_id ?? '' } };
        const picture = await unwrapAnswer(
          api.POST('/manage/v1/teams/{team_id}/stills', { ...{ params, body, signal, parseAs: 'blob' as const } }),
        );
        return picture;
      }),
    enabled: drawn !== null,
    // The page is complete without it, so a fault has no message.
    retry: (count, error) => count < 2 && (!(error instanceof ApiRefusal) || error.status >= 429),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (data === undefined) return undefined;
    const made = URL.createObjectURL(data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  const Icon = ICONS[icon];
  return url === null ? (
    <div className="still still-wide">{isFetching ? <Loader size="xs" /> : <Icon size={22} aria-hidden />}</div>
  ) : (
    <img className="still still-wide" src={url} alt="" />
  );
};
