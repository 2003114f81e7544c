import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { FailureAnswer, RenderAnswer } from './render-answers.ts';
import type { RenderApi } from './render-api.ts';

/** A render with what its last transition adds to its status: how far it is while it is rendered, and why it failed. */
export type DetailedRender = RenderAnswer & {
  /** 0 to 1; only during `processing`. */
  readonly progress?: number;
  readonly failure?: FailureAnswer;
};

const hasDetails = ({ status }: RenderAnswer): boolean => status === 'processing' || status === 'failed';

/** Reads the details of a render, where its status has any. Without them where they cannot be read now. */
export const detailed = async (api: Pick<RenderApi, 'transitions'>, render: RenderAnswer): Promise<DetailedRender> => {
  if (!hasDetails(render)) return render;
  const transitions = await api.transitions(render.id);
  const last = E.isRight(transitions) ? transitions.right.data.at(-1) : undefined;
  // It may have gone on since it was read.
  if (last?.status !== render.status) return render;
  const { progress, failure } = last;
  return {
    ...render,
    ...(progress === undefined ? {} : { progress }),
    ...(failure === undefined || failure === null ? {} : { failure }),
  };
};

/** Each costs a request: a list of thousands is not worth thousands of them. */
export const MOST_DETAILED = 100;

const AT_ONCE = 8;

/** Reads the details of renders of a list: of the first {@link MOST_DETAILED} that have any. */
export const allDetailed = async (
  api: Pick<RenderApi, 'transitions'>,
  renders: readonly RenderAnswer[],
): Promise<readonly DetailedRender[]> => {
  const wanted = new Set(renders.filter(hasDetails).slice(0, MOST_DETAILED));
  const limit = pLimit(AT_ONCE);
  return await Promise.all(
    renders.map((render) => (wanted.has(render) ? limit(() => detailed(api, render)) : Promise.resolve(render))),
  );
};
