import type { WorkerBeat } from '../../domain/dispatch/heartbeats.ts';
import type { LiveProgressDocument } from '../../read-models/renders/documents.ts';

export type DatedHeartbeat = { readonly beat: WorkerBeat /** Append time, ms. */; readonly at: number };

/** The newest progress of each render that these heartbeats show, in log order. */
export const progressOf = (beats: readonly DatedHeartbeat[]): readonly LiveProgressDocument[] => {
  const newest = new Map<string, LiveProgressDocument>();
  for (const { beat, at } of beats) {
    for (const { render_id: _id, attempt_id, frames_done, frames_total, stage } of beat.attempts) {
      newest.set(_id, { _id, attempt_id, frames_done, frames_total, stage, at: new Date(at) });
    }
  }
  return [...newest.values()];
};
