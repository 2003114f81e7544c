import { STATUSES } from '../../domain/render/render.ts';
import type { TransitionsAnswer } from './render-answers.ts';
import { percentText } from './render-text.ts';

export type RenderLifecycle = {
  readonly status: string;
  readonly seen: readonly { readonly status: string; readonly at: number }[];
  readonly fraction: number;
  /** Fraction of rendered frames, 0 to 1; null except while rendering. */
  readonly frames_fraction: number | null;
  readonly failure: string | null;
};

/** The progress bar's fraction at the beginning of each status. Rendering takes nearly all of the time. */
const BEHIND: Readonly<Record<string, number>> = {
  initializing: 0.02,
  ready: 0.05,
  queued: 0.08,
  processing: 0.1,
  finalizing: 0.95,
  complete: 1,
  failed: 1,
};

const failureText = (last: TransitionsAnswer['data'][number] | undefined): string | null =>
  last?.failure === undefined || last.failure === null ? null : last.failure.message;

export const lifecycleOf = ({ data }: TransitionsAnswer): RenderLifecycle => {
  const last = data.at(-1);
  const status = last?.status ?? 'initializing';
  const frames_fraction = status === 'processing' ? (last?.progress ?? 0) : null;
  const behind = BEHIND[status] ?? 0;
  const ahead = (BEHIND.finalizing ?? 1) - behind;
  return {
    status,
    seen: data.map(({ status: seen, at }) => ({ status: seen, at })),
    fraction: frames_fraction === null ? behind : behind + ahead * frames_fraction,
    frames_fraction,
    failure: failureText(last),
  };
};

/** `initializing > ready > queued > processing 42 %` */
export const statusHistoryText = (life: RenderLifecycle): string => {
  const trail = life.seen.map(({ status }) => status).join(' > ');
  return life.frames_fraction === null ? trail : `${trail} ${percentText(life.frames_fraction)}`;
};

/** The longest history, for which the progress bar leaves columns free. */
export const MAX_STATUS_HISTORY_LENGTH = STATUSES.filter((status) => status !== 'failed').join(' > ').length;

/** Cuts a long trail at its beginning: `… > finalizing > complete`. */
export const fitStatusHistory = (trail: string, columns: number): string => {
  if (trail.length <= columns) return trail;
  const [, ...rest] = trail.replace(/^… > /, '').split(' > ');
  return rest.length === 0 ? trail : fitStatusHistory(`… > ${rest.join(' > ')}`, columns);
};
