import type { Transition } from '../render/render.ts';

export const EVENT_KINDS = ['render.status_changed', 'render.complete', 'render.failed'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const isEventKind = (value: string): value is EventKind => EVENT_KINDS.some((kind) => kind === value);

export const eventsOf = (transition: Pick<Transition, 'to'>): readonly EventKind[] => {
  if (transition.to === 'complete') return ['render.status_changed', 'render.complete'];
  if (transition.to === 'failed') return ['render.status_changed', 'render.failed'];
  return ['render.status_changed'];
};
