import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';
import { Render, Transition } from './render.ts';

/**
 * The only record type of `render-status`: an event that the fold accepted, and the render after it. It is a pure
 * function of event and render, so a repeat has the same content.
 */
export const RenderFactAccepted = t.strict({
  type: t.literal('RenderFactAccepted'),
  /** `event_id` is derived from the event's id, which is the `causation_id`; `actor` is the actor of the event. */
  meta: Meta,
  render_id: t.string,
  /** The event's offset in the same partition of `render-events`: the only position that consumers store. */
  source_offset: Integer,
  fact_type: t.string,
  /** The `causation_id` of the event itself. */
  fact_causation_id: nullable(t.string),
  /** Append time of the event, ms. */
  appended_at: Integer,
  /** Null if the event did not change the status. */
  transition: nullable(Transition),
  render: Render,
});
export type RenderFactAccepted = t.TypeOf<typeof RenderFactAccepted>;
