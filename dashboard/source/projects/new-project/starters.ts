import { queryOptions } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../../api/client.ts';
import birthday from '../../starters/birthday.webp';
import captioned_video from '../../starters/captioned-video.webp';
import lower_third from '../../starters/lower-third.webp';
import podcast from '../../starters/podcast.webp';
import promo from '../../starters/promo.webp';
import quote_card from '../../starters/quote-card.webp';
import real_estate from '../../starters/real-estate.webp';
import slideshow from '../../starters/slideshow.webp';

const STILLS: ReadonlyMap<string, string> = new Map([
  ['promo', promo],
  ['quote-card', quote_card],
  ['captioned-video', captioned_video],
  ['slideshow', slideshow],
  ['lower-third', lower_third],
  ['real-estate', real_estate],
  ['podcast', podcast],
  ['birthday', birthday],
]);

/** The address of its picture; null for a starter that is newer than these pages. */
export const starterStill = (id: string): string | null => STILLS.get(id) ?? null;

/** They change only with the service. */
export const startersQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['starters', team_id],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/starters', { params: { path: { team_id } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
