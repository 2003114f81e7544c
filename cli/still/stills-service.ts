import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import {
  lostAssetText,
  STILL_HEADER,
  STILLS_PATH,
  StillFacts,
  StillFault,
  type StillRequest,
} from '../../schemas/http/still.ts';
import type { CliFault } from '../fault.ts';

export type StillsAddress = { readonly url: string; readonly secret: string };

export type StillImage = StillFacts & { readonly bytes: Buffer };

/** Longer than the service's own limit for waiting and drawing, so that the service reports a timeout itself. */
const TIMEOUT_MS = 100_000;

const Refusal = t.type({ error: t.string, fault: t.union([StillFault, t.undefined]) });

const json = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
};

/** `unanswered`: the service gave no valid response; `why` has the reason. */
export type StillAnswer =
  | { readonly tag: 'answered'; readonly still: E.Either<CliFault | CatalogueFault, StillImage> }
  | { readonly tag: 'unanswered'; readonly why: string };

const unanswered = (why: string): StillAnswer => ({ tag: 'unanswered', why });

const ofAnswer = async (answer: Response): Promise<StillAnswer> => {
  if (answer.ok) {
    const facts = StillFacts.decode(json(answer.headers.get(STILL_HEADER)));
    if (E.isLeft(facts)) return unanswered('its response is not valid');
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { tag: 'answered', still: E.right({ ...facts.right, bytes }) };
  }
  const refusal = Refusal.decode(json(await answer.text()));
  if (E.isLeft(refusal)) return unanswered(`it answered with status ${answer.status}`);
  const { error, fault } = refusal.right;
  if (answer.status === 400 && fault === undefined)
    return { tag: 'answered', still: E.left({ tag: 'http', status: answer.status, message: error }) };
  if (fault?.tag === 'asset_lost')
    return {
      tag: 'answered',
      still: E.left({ tag: 'refused', reason: fault.tag, message: lostAssetText(fault.asset_id) }),
    };
  return fault === undefined || fault.tag === 'engine_failed'
    ? unanswered(error)
    : { tag: 'answered', still: E.left(fault) };
};

export const requestStill = async (
  { url, secret }: StillsAddress,
  request: StillRequest,
  stop: AbortSignal,
): Promise<StillAnswer> => {
  try {
    const answer = await fetch(`${url.replace(/(?<!\/)\/+$/, '')}${STILLS_PATH}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return await ofAnswer(answer);
  } catch (error) {
    if (stop.aborted) return { tag: 'answered', still: E.left({ tag: 'interrupted' }) };
    return unanswered(error instanceof TypeError ? `it cannot be reached at ${url}` : messageOf(error));
  }
};
