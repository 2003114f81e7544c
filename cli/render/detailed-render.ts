import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { RenderAnswer, TransitionAnswer } from './render-answers.ts';
import type { RenderApi } from './render-api.ts';

export type DetailedRender = RenderAnswer;

/** Whether the transitions have details that the answer of an older service lacks. */
const lacksDetails = ({ status, progress, failure }: RenderAnswer): boolean =>
  (status === 'processing' && progress === undefined) || (status === 'failed' && failure === undefined);

/** Adds the details of the last transition, unless the status has changed since. */
export const withDetailsIn = (render: RenderAnswer, transitions: readonly TransitionAnswer[]): DetailedRender => {
  const last = transitions.at(-1);
  if (last?.status !== render.status) return render;
  const { progress, failure } = last;
  return {
    ...render,
    ...(progress === undefined ? {} : { progress }),
    ...(failure === undefined || failure === null ? {} : { failure }),
  };
};

/** Returns the render without details if they cannot be read. */
export const withDetails = async (
  api: Pick<RenderApi, 'transitions'>,
  render: RenderAnswer,
): Promise<DetailedRender> => {
  if (!lacksDetails(render)) return render;
  const transitions = await api.transitions(render.id);
  return withDetailsIn(render, E.isRight(transitions) ? transitions.right.data : []);
};

/** At most this many renders get details, because each costs a request. */
export const MAX_DETAILED = 100;

const AT_ONCE = 8;

/** Reads details of the first {@link MAX_DETAILED} renders that have any. */
export const withDetailsOfAll = async (
  api: Pick<RenderApi, 'transitions'>,
  renders: readonly RenderAnswer[],
): Promise<readonly DetailedRender[]> => {
  const wanted = new Set(renders.filter(lacksDetails).slice(0, MAX_DETAILED));
  const limit = pLimit(AT_ONCE);
  return await Promise.all(
    renders.map((render) => (wanted.has(render) ? limit(() => withDetails(api, render)) : Promise.resolve(render))),
  );
};
