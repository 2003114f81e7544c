import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';
import { Render, Transition } from './render.ts';

/**
 * The one record of `render-status`: an event that the fold accepted, and the render as it then was.
 * It is a pure function of the event and the render, so a repeat has the same content.
 */
export const RenderFactAccepted = t.strict({
  type: t.literal('RenderFactAccepted'),
  /** `event_id` is derived from the event's, which is the `causation_id`; `actor` is who appended the event. */
  meta: Meta,
  render_id: t.string,
  /** Where the event stands in the same partition of `render-events`: the one number that consumers keep. */
  source_offset: Integer,
  fact_type: t.string,
  /** What the event itself was caused by. */
  fact_causation_id: nullable(t.string),
  /** Append time of the event, ms. */
  appended_at: Integer,
  /** Null where the event changed no status. */
  transition: nullable(Transition),
  render: Render,
});
export type RenderFactAccepted = t.TypeOf<typeof RenderFactAccepted>;
