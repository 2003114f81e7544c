import type { Schemas } from '../api/client.ts';

export type Event = Schemas['EndpointRequest']['events'][number];

export const EVENTS = ['render.status_changed', 'render.complete', 'render.failed'] as const satisfies readonly Event[];

export const knownEvents = (texts: readonly string[]): Event[] => EVENTS.filter((event) => texts.includes(event));
