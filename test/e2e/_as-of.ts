import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import type { RenderAnswer } from '../../cli/render/render-answers.ts';
import { renderAsOf } from '../../cli/render/render-as-of.ts';
import type { Service } from './_service.ts';

/** An answer about a render, with the times of request and answer in ms since the epoch. */
export type Look = { readonly asked_at: number; readonly answered_at: number; readonly render: RenderAnswer };

/** The maximum delay of a read model behind the log on a busy machine. */
const SHOWN_WITHIN_MS = 10_000;
const BESIDE_ITS_LIFE_MS = 500;
const AT_ONCE = 4;

/** The members of a render to compare. Without links to files, because these change at each read. */
const stateOf = ({ id, name, status, type, project, created_by, created_at, updated_at }: RenderAnswer): string =>
  JSON.stringify({ id, name, status, type, project, created_by, created_at, updated_at });

const changedAt = ({ created_at, updated_at }: RenderAnswer): number => updated_at ?? created_at;

type Judged = 'absent' | 'seen' | 'passed' | 'wrong';

/**
 * Whether a client saw this state shortly before or after its time. `passed` means that the state ended between two
 * looks of a client.
 */
const judged = (state: RenderAnswer | null, looks: readonly Look[], at: number): Judged => {
  if (state === null) return looks.every(({ render }) => at < render.created_at) ? 'absent' : 'wrong';
  const near = looks.filter((one) => one.answered_at > at - SHOWN_WITHIN_MS && one.asked_at < at + SHOWN_WITHIN_MS);
  if (near.some(({ render }) => stateOf(render) === stateOf(state))) return 'seen';
  const before = near.some((one) => one.answered_at <= at && changedAt(one.render) < changedAt(state));
  const is_first = looks.every((one) => one.answered_at > at);
  const after = near.some((one) => one.asked_at >= at && changedAt(one.render) > changedAt(state));
  return (before || is_first) && after ? 'passed' : 'wrong';
};

export type AsOf = { readonly wrong: readonly string[]; readonly counts: Readonly<Record<Judged, number>> };

export const readAsOf = async ({ clients }: Service, looks: readonly Look[], moments: number): Promise<AsOf> => {
  const byRender = [...Map.groupBy(looks, ({ render }) => render.id)];
  const wrong: string[] = [];
  const counts = { absent: 0, seen: 0, passed: 0, wrong: 0 };
  await pLimit(AT_ONCE).map(Array.from({ length: moments }), async () => {
    const [id = '', own = []] = byRender[Math.floor(Math.random() * byRender.length)] ?? [];
    const from = Math.min(...own.map(({ render }) => render.created_at)) - BESIDE_ITS_LIFE_MS;
    const to = Math.max(...own.map(({ render }) => changedAt(render))) + BESIDE_ITS_LIFE_MS;
    const at = from + Math.floor(Math.random() * (to - from));
    const found = await renderAsOf(clients, id, at);
    const state = E.isRight(found) ? found.right : null;
    const result = judged(state, own, at);
    counts[result] += 1;
    if (result === 'wrong') wrong.push(`${id} at ${at}: ${state === null ? 'absent' : stateOf(state)}`);
  });
  return { wrong, counts };
};
