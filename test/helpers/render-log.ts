import type { RenderEvent } from '../../domain/render/events.ts';
import {
  assigned,
  completed,
  failed,
  finished,
  lost,
  poster,
  prepared,
  progressed,
  requested,
} from './render-events.ts';

/** Another price than the reserved one, so that a ledger that charges the reservation fails. */
const preparedCheaper: RenderEvent = { ...prepared, price_credits: 7 };

const eventfulLife: readonly RenderEvent[] = [
  requested(),
  requested({ name: 'Another' }),
  completed('att_1'),
  preparedCheaper,
  assigned('att_1', 1),
  progressed('att_1'),
  progressed('att_1'),
  lost('att_1'),
  finished('att_1'),
  assigned('att_2', 2),
  progressed('att_2'),
  finished('att_2'),
  completed('att_2'),
  failed('worker:wkr_1', 'att_2'),
];

const plainLife: readonly RenderEvent[] = [
  requested(),
  prepared,
  assigned('att_1', 1),
  progressed('att_1'),
  finished('att_1'),
  { ...completed('att_1'), poster },
];

const failedLife: readonly RenderEvent[] = [requested(), failed('preparer:prep_1', null), prepared];

const LIVES = [plainLife, eventfulLife, failedLife];

const ACCOUNTS = 2;
const PROJECTS = 5;

export const lifeOf = (render_id: string, n: number): readonly RenderEvent[] =>
  (LIVES[n % LIVES.length] ?? plainLife).map((event, i) => {
    const own = { render_id, meta: { ...event.meta, event_id: `${render_id}-${i}` } };
    if (event.type !== 'RenderRequested') return { ...event, ...own };
    return { ...event, ...own, account_id: `acc_${n % ACCOUNTS}`, project_id: `proj_${n % PROJECTS}` };
  });

/** Events of many renders, interleaved in rounds. The events of one render keep their order. */
export const interleaved = (renders: readonly string[]): readonly RenderEvent[] => {
  const lives = renders.map((id, n) => lifeOf(id, n));
  const rounds = Math.max(...lives.map((life) => life.length));
  return Array.from({ length: rounds }, (_, i) => lives.flatMap((life) => life[i] ?? [])).flat();
};
