import * as E from 'fp-ts/lib/Either.js';
import type { CompositionRequest } from '../../catalogue/composed-project.ts';
import type { CliFault } from '../fault.ts';
import type { ApiAnswer, ApiClient, ApiResult } from '../http/api-client.ts';

/** `ignored` has the keys of values without a field, as the service lists them; null without any. */
export type RemoteStill = { readonly bytes: Buffer; readonly ignored: string | null };

type StillWish = CompositionRequest & { readonly at_s: number };

const NO_STILLS: CliFault = {
  ...{ tag: 'refused', reason: 'no_stills' },
  message: 'this service is too old to draw stills over the API; its dashboard shows stills',
};

export const drawRemotely = async (
  client: ApiClient,
  { project_id, template_id, values, at_s }: StillWish,
  format: 'jpeg' | 'webp',
): ApiResult<RemoteStill> => {
  const template = template_id === null ? {} : { template_id, values };
  const body = { project_id, ...template, time_s: at_s, format };
  const drawn = await client.sendForBytes({ path: '/v1/stills', body });
  if (E.isLeft(drawn) && drawn.left.tag === 'http' && drawn.left.code === 'unknown_path') return E.left(NO_STILLS);
  return E.map(({ body: bytes, headers }: ApiAnswer<Buffer>) => ({ bytes, ignored: headers.get('ignored-values') }))(
    drawn,
  );
};
