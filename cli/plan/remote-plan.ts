import * as E from 'fp-ts/lib/Either.js';
import type { CompositionRequest } from '../../catalogue/composed-project.ts';
import { faultText } from '../../domain/composition/fault.ts';
import { secondsText } from '../../domain/composition/source-end-rules.ts';
import type { ApiClient, ApiResult } from '../http/api-client.ts';
import type { CheckAnswer } from '../http/project-answers.ts';
import { checkRemotely } from '../http/projects.ts';
import { layerTimesText } from './layer-times-text.ts';

/** The film and the price of a render. Over the API, the cache is unknown. */
export type RemotePlan = Pick<CheckAnswer, 'warnings' | 'frames' | 'duration_s' | 'price_credits' | 'layers'> & {
  readonly project_id: string;
};

export const planRemotely = async (
  client: ApiClient,
  { project_id, template_id, values }: Omit<CompositionRequest, 'at_s'>,
): ApiResult<RemotePlan> => {
  const template = template_id === null ? {} : { template_id, values };
  const checked = await checkRemotely(client, { project_id, ...template });
  if (E.isLeft(checked)) return checked;
  const { faults, warnings, frames, duration_s, price_credits, layers = null } = checked.right;
  return faults.length > 0
    ? E.left({ tag: 'invalid_project', path: project_id, faults, only_checked: true })
    : E.right({ project_id, warnings, frames, duration_s, price_credits, layers });
};

export const remotePlanText = (plan: RemotePlan): string => {
  const { project_id, warnings, frames, duration_s, price_credits, layers } = plan;
  return [
    `A render of ${project_id} has ${frames ?? 0} frames in ${secondsText(duration_s ?? 0)} and costs ${price_credits ?? 0} credits.`,
    ...layerTimesText(layers),
    ...warnings.map((warning) => `warning: ${faultText(warning)}`),
  ].join('\n');
};
