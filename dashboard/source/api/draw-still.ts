import { api, type Schemas, unwrapAnswer } from './client.ts';

/** One frame, as WebP. */
export const drawStill = async (
  team_id: string,
  still: Omit<Schemas['StillRequest'], 'format'>,
  signal: AbortSignal,
): Promise<Blob> => {
  const picture = await unwrapAnswer(
    api.POST('/manage/v1/teams/{team_id}/stills', {
      ...{ params: { path: { team_id } }, body: { ...still, format: 'webp' as const }, signal },
      parseAs: 'blob' as const,
    }),
  );
  return picture;
};
