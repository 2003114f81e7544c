import type { RenderEvent } from './events.ts';
import type { Transition } from './render.ts';

/** An event with its verdict. Accepted events are stored in full, so that they can be folded again. */
export type StoredEvent =
  | {
      readonly verdict: 'accepted';
      readonly offset: number;
      readonly appended_at: number;
      readonly fact: RenderEvent;
      readonly transition: Transition | null;
    }
  | {
      readonly verdict: 'ignored';
      readonly offset: number;
      readonly appended_at: number;
      readonly type: string;
      readonly event_id: string;
      readonly actor: string;
      readonly reason: string;
    };
