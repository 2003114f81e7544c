import * as E from 'fp-ts/lib/Either.js';
import { readStackFile, type StackFile } from '../cli/stack-file.ts';
import { processStartId } from '../stack/process/process-id.ts';

export type LiveStack = StackFile & {
  readonly api_key: string;
  readonly team_id: string;
  readonly project_id: string;
  readonly template_id: string;
};

const ANSWERS_WITHIN_MS = 3_000;

/** No render has this id, so a valid key gets 404. */
const NO_RENDER = 'rend_00000000000000000000000000';

const answers = async ({ base_url, api_key }: LiveStack): Promise<boolean> => {
  try {
    const answer = await fetch(`${base_url}/v1/renders/${NO_RENDER}`, {
      headers: { Authorization: `Bearer ${api_key}` },
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    await answer.body?.cancel();
    return answer.status === 404;
  } catch {
    return false;
  }
};

/** Null unless the stack of `make start` answers: a killed stack leaves its file behind. */
export const findLiveStack = async (stack_file: string): Promise<LiveStack | null> => {
  const found = await readStackFile(stack_file);
  if (E.isLeft(found)) return null;
  const { pid, api_key, team_id, project_id, template_id } = found.right;
  if (pid !== undefined && processStartId(pid) === null) return null;
  if (api_key === undefined || team_id === undefined || project_id === undefined || template_id === undefined)
    return null;
  const live = { ...found.right, api_key, team_id, project_id, template_id };
  return (await answers(live)) ? live : null;
};
