import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { FailureAnswer, RenderAnswer } from './render-answers.ts';
import type { RenderApi } from './render-api.ts';

/** A render with details of its last transition: the progress while it is rendered, or why it failed. */
export type DetailedRender = RenderAnswer & {
  /** 0 to 1; only during `processing`. */
  readonly progress?: number;
  readonly failure?: FailureAnswer;
};

const hasDetails = ({ status }: RenderAnswer): boolean => status === 'processing' || status === 'failed';

/** Reads the details of a render if its status has any. Returns the render without them if they cannot be read now. */
export const detailed = async (api: Pick<RenderApi, 'transitions'>, render: RenderAnswer): Promise<DetailedRender> => {
  if (!hasDetails(render)) return render;
  const transitions = await api.transitions(render.id);
  const last = E.isRight(transitions) ? transitions.right.data.at(-1) : undefined;
  // The render may have changed its status since it was read.
  if (last?.status !== render.status) return render;
  const { progress, failure } = last;
  return {
    ...render,
    ...(progress === undefined ? {} : { progress }),
    ...(failure === undefined || failure === null ? {} : { failure }),
  };
};

/** Each detail costs a request, so a list of thousands gets only the first ones. */
export const MAX_DETAILED = 100;

const AT_ONCE = 8;

/** Reads the details of listed renders: of the first {@link MAX_DETAILED} that have any. */
export const allDetailed = async (
  api: Pick<RenderApi, 'transitions'>,
  renders: readonly RenderAnswer[],
): Promise<readonly DetailedRender[]> => {
  const wanted = new Set(renders.filter(hasDetails).slice(0, MAX_DETAILED));
  const limit = pLimit(AT_ONCE);
  return await Promise.all(
    renders.map((render) => (wanted.has(render) ? limit(() => detailed(api, render)) : Promise.resolve(render))),
  );
};
