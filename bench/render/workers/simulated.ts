import TinyQueue from 'tinyqueue';
import { consecutiveSpans } from '../../../domain/composition/spans-of.ts';
import type { SegmentSpan, WorkerBeat } from '../../../domain/dispatch/heartbeats.ts';
import { applyHeartbeat, createHelpBoard, nextSpanFor, ownsSpan } from '../../../domain/dispatch/help.ts';

/** The times of one film on a single worker, in ms. */
export type FilmPhaseTimes = {
  /** Fetching, probing and drawing the film's sources; each worker repeats this. */
  readonly head_ms: number;
  readonly encoding_ms: number;
  /** Join, poster and upload, only by the film's own worker. */
  readonly tail_ms: number;
  readonly segments: number;
};

/** Ms from one worker's heartbeat to another worker's reaction. */
const TOLD_MS = 50;
/** Ms for each additional process: its start, and decoding before its first frame. */
const PROCESS_MS = 700;
const FRAMES = 120;
const FPS = 30;
const FILM = 'att_film';

type Due = { readonly at: number; readonly run: () => void };

/**
 * Simulates the workers' protocol with `workers` equal machines. Returns the ms from a film's assignment to its
 * completion.
 */
export const simulateRender = (
  { head_ms, encoding_ms, tail_ms, segments }: FilmPhaseTimes,
  workers: number,
): number => {
  const segment_ms = encoding_ms / segments;
  const film = { frames: Array.from({ length: segments }, () => FRAMES), frames_per_s: FPS };
  const board = createHelpBoard();
  const there = new Set<number>();
  const queue = new TinyQueue<Due>([], (a, b) => a.at - b.at);
  let now = 0;
  const after = (ms: number, run: () => void): void => void queue.push({ at: now + ms, run });

  const beats = new Map<string, number>();
  const lacking: SegmentSpan[] = [];
  const taken = new Map<string, SegmentSpan[]>();
  const wanted = () => ({
    ...{ render_id: 'rend_film', attempt_id: FILM, account_id: 'acc', project_id: 'proj', parts_sha256: '' },
    ...{ composition: { path: '', sha256: '' }, lacking },
  });
  const say = (worker_id: string): void => {
    const beat = (beats.get(worker_id) ?? 0) + 1;
    beats.set(worker_id, beat);
    const meta = { event_id: '', occurred_at: 0, actor: '', causation_id: null, correlation_id: null };
    const shown: WorkerBeat = {
      ...{ type: 'WorkerBeat', meta, worker_id, beat, slots: 1, draining: false, attempts: [], failed: [] },
      ...{ engines: [], impediments: [], wanted: worker_id === 'owner' ? [wanted()] : [] },
      helps: [{ attempt_id: FILM, taken: [...(taken.get(worker_id) ?? [])], stored: [] }].slice(
        worker_id === 'owner' ? 1 : 0,
      ),
    };
    applyHeartbeat(board, shown, 0);
  };
  const isTaken = (index: number): boolean =>
    [...taken.values()].flat().some(({ from, until }) => from <= index && index < until);

  let ended_at = Number.NaN;
  const owner = (index: number): void => {
    const left = Array.from({ length: segments }, (_, n) => n).filter((n) => !there.has(n));
    const last = left.at(-1);
    if (last === undefined) {
      if (Number.isNaN(ended_at)) ended_at = now + tail_ms;
      return;
    }
    const free = left.find((n) => n >= index && !isTaken(n)) ?? left.find((n) => !isTaken(n)) ?? last;
    lacking.splice(0, lacking.length, ...consecutiveSpans(left.filter((n) => n !== free)));
    say('owner');
    after(segment_ms + (isTaken(free) ? PROCESS_MS : 0), () => {
      there.add(free);
      owner(free + 1);
    });
  };
  const helper = (id: string): void => {
    const span = nextSpanFor(board, wanted(), id, film, 0);
    if (span === null) return;
    taken.set(id, [...(taken.get(id) ?? []), span]);
    say(id);
    after(TOLD_MS, () => {
      if (ownsSpan(board, FILM, id, span, 0) !== true) {
        taken.set(id, (taken.get(id) ?? []).slice(0, -1));
        say(id);
        helper(id);
        return;
      }
      for (let n = span.from; n < span.until; n += 1)
        after(PROCESS_MS + (n - span.from + 1) * segment_ms, () => {
          there.add(n);
          if (there.size === segments && Number.isNaN(ended_at)) ended_at = now + tail_ms;
        });
      after(PROCESS_MS + (span.until - span.from) * segment_ms, () => helper(id));
    });
  };

  after(head_ms, () => {
    owner(0);
    for (let n = 1; n < workers; n += 1) {
      const id = `helper_${n}`;
      after(TOLD_MS, () => say(id));
      after(TOLD_MS + head_ms, () => helper(id));
    }
  });
  for (let due = queue.pop(); due !== undefined && Number.isNaN(ended_at); due = queue.pop()) {
    now = due.at;
    due.run();
  }
  return ended_at;
};
