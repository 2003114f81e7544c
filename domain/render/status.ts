import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';
import { Render, Transition } from './render.ts';

/**
 * The only record type of `render-status`: an event that the fold accepted, and the render after it. A repeated record
 * has the same content.
 */
export const RenderFactAccepted = t.strict({
  type: t.literal('RenderFactAccepted'),
  /** `event_id` is derived from the event's id, which is the `causation_id`; `actor` is the actor of the event. */
  meta: Meta,
  render_id: t.string,
  /** The event's offset in the same partition of `render-events`. Consumers store this position. */
  source_offset: Integer,
  fact_type: t.string,
  /** The `causation_id` of the event itself. */
  fact_causation_id: nullable(t.string),
  appended_at: Integer,
  transition: nullable(Transition),
  render: Render,
});
export type RenderFactAccepted = t.TypeOf<typeof RenderFactAccepted>;
