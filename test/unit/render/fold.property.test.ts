import test from 'ava';
import fc from 'fast-check';
import { isCancellation } from '../../../domain/render/cancellation.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { foldStep, type TimestampedEvent } from '../../../domain/render/fold.ts';
import { isFinal, type Render, STATUSES } from '../../../domain/render/render.ts';
import { EVERY_EVENT } from '../../helpers/render-events.ts';
import { runs } from '../../helpers/runs.ts';

const inV2 = (event: RenderEvent): RenderEvent =>
  event.type === 'RenderRequested' ? { ...event, fold_version: 2 } : event;

const interleaving = fc.array(fc.constantFrom(...EVERY_EVENT, ...EVERY_EVENT.map(inV2)), { maxLength: 40 });

/** Starts as a render usually does, so that most runs get far. */
const likelyOrder = fc.tuple(fc.nat({ max: EVERY_EVENT.length }), interleaving).chain(([n, rest]) => {
  const events = [...EVERY_EVENT.slice(0, n), ...rest];
  return fc.constantFrom(events, events.map(inV2));
});

const walk = (events: readonly TimestampedEvent[]) => {
  const states: Render[] = [];
  const kept: TimestampedEvent[] = [];
  const transitions: string[] = [];
  let render: Render | null = null;
  for (const dated of events) {
    const step = foldStep(render, dated.event, dated.at);
    if (step.tag !== 'accepted') continue;
    render = step.render;
    states.push(step.render);
    kept.push(dated);
    if (step.transition !== null) transitions.push(step.transition.to);
  }
  return { render, states, kept, transitions };
};

const dated = fc
  .oneof(interleaving, likelyOrder)
  .map((events) => events.map((event, i): TimestampedEvent => ({ event, at: 100 + i })));

test('any interleaving folds to the same state without its ignored events', (t) => {
  fc.assert(
    fc.property(dated, (events) => {
      const whole = walk(events);
      t.deepEqual(walk(whole.kept).render, whole.render);
    }),
    { numRuns: runs(2_000) },
  );
});

test('status never moves back, skips only on failure, and a final status stays', (t) => {
  fc.assert(
    fc.property(dated, (events) => {
      const { states, transitions } = walk(events);
      const ranks = states.map((state) => STATUSES.indexOf(state.status));
      t.deepEqual(
        ranks,
        ranks.toSorted((a, b) => a - b),
      );
      const last = transitions.at(-1);
      const path = last === 'failed' ? transitions.slice(0, -1) : transitions;
      t.deepEqual(path, [...STATUSES.slice(0, path.length)]);
      t.true(states.slice(0, -1).every((state) => !isFinal(state.status)));
    }),
    { numRuns: runs(2_000) },
  );
});

test('at most one attempt is open, and it is the last', (t) => {
  fc.assert(
    fc.property(dated, (events) => {
      for (const state of walk(events).states) {
        const open = state.attempts.filter((attempt) => attempt.lost === null);
        t.true(open.length <= 1);
        if (open.length === 1) t.is(open[0], state.attempts.at(-1));
        t.deepEqual(
          state.attempts.map((attempt) => attempt.n),
          state.attempts.map((_, i) => i + 1),
        );
      }
    }),
    { numRuns: runs(2_000) },
  );
});

const isCancel = ({ event }: TimestampedEvent): boolean => event.type === 'RenderFailed' && isCancellation(event);
const of = (fold_version: number, events: readonly TimestampedEvent[]): readonly TimestampedEvent[] =>
  events.map(({ event, at }) => ({
    at,
    event: event.type === 'RenderRequested' ? { ...event, fold_version } : event,
  }));

test('without cancellations, version 2 equals version 1', (t) => {
  fc.assert(
    fc.property(dated, (events) => {
      const others = events.filter((one) => !isCancel(one));
      const first = walk(of(1, others));
      t.deepEqual(walk(of(1, events)).render, first.render);
      const second = walk(of(2, others));
      t.deepEqual(second.transitions, first.transitions);
      t.deepEqual(second.render && { ...second.render, fold_version: 1 }, first.render);
    }),
    { numRuns: runs(2_000) },
  );
});

test('the first of a cancellation and a completion counts', (t) => {
  fc.assert(
    fc.property(dated, (events) => {
      const { render, kept } = walk(of(2, events));
      const ends = kept.filter((one) => isCancel(one) || one.event.type === 'RenderCompleted');
      t.true(ends.length <= 1);
      if (render === null) return;
      const is_cancelled = ends.some(isCancel);
      t.is(render.failure?.code === 'cancelled', is_cancelled);
      if (is_cancelled) t.like(render, { status: 'failed', charged_credits: 0, outputs: [] });
      t.is(render.charged_credits > 0, render.status === 'complete');
    }),
    { numRuns: runs(4_000) },
  );
});
