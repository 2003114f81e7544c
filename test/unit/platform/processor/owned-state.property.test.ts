import { deepEqual, equal, ok } from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { StopPartition } from '../../../../platform/event-log/event-log.ts';
import {
  type AssignmentAction,
  type AssignmentEvent,
  type AssignmentState,
  applyAssignmentEvent,
  newAssignment,
} from '../../../../platform/processor/owned-state.ts';
import { runs } from '../../../helpers/runs.ts';

// Random histories of one owned partition. Its tasks open, lose the partition, stop and finish work in any order, and a
// rebalance keeps it while it cannot continue.
type Kind = 'open' | 'not_open' | 'begin' | 'finish' | 'process' | 'stop' | 'lose' | 'retry' | 'keep' | 'revoke';
type Step = { readonly kind: Kind; readonly n: number; readonly of_former: boolean };

const MAX_UNFINISHED = 4;

class World {
  state: AssignmentState = newAssignment(null);
  tasks = 0;
  offset = 0;
  /** Whether the subscription has paused the partition. */
  is_paused = false;
  is_stopped = false;
  position: number | null = null;
  watches = 0;
  stops = 0;
  reopenings = 0;

  apply(event: AssignmentEvent): void {
    const before = this.state;
    const [state, actions] = applyAssignmentEvent(before, event, MAX_UNFINISHED);
    this.state = state;
    if ('task' in event && event.tag !== 'opened' && event.task !== before.task?.id) deepEqual(state, before);
    if (before.is_revoked) deepEqual([state, actions], [before, []], 'a revoked partition changes no more');
    for (const action of actions) this.#carryOut(action);
    this.#check();
  }

  #carryOut(action: AssignmentAction): void {
    switch (action.tag) {
      case 'pause':
        this.is_paused = true;
        return;
      case 'resume':
        this.is_paused = false;
        return;
      case 'seek':
        this.position = action.offset;
        return;
      case 'restart':
        // A restart ends a pause, as in the subscription.
        [this.is_stopped, this.is_paused, this.position] = [false, false, action.offset];
        return;
      case 'stop':
        this.is_stopped = true;
        return;
      case 'reopen':
        this.reopenings += 1;
        return;
      case 'watch':
        this.watches += 1;
        return;
      case 'end_watch':
        this.watches -= 1;
        return;
      case 'report_stopped':
        this.stops = 1;
        return;
      case 'report_restarted':
        this.stops = 0;
    }
  }

  #check(): void {
    const { task, opening, stop, is_revoked } = this.state;
    ok(task === null || opening === null, 'a partition is not opened while it has a task');
    const is_watched = stop !== null && !is_revoked;
    equal(this.watches, is_watched ? 1 : 0, 'a stopped partition is watched once');
    equal(this.stops, is_watched ? 1 : 0, 'operators see a stop until it ends');
    if (task !== null && task.unfinished > 0) ok(task.unfinished >= 0);
    if (is_revoked || task === null) return;
    equal(this.position, task.next, 'the subscription continues at the next offset of the task');
    if (stop === null && task.unfinished <= MAX_UNFINISHED / 2) ok(!this.is_paused, 'with little to do it is read');
    if (stop === null) ok(!this.is_stopped, 'an open partition without a stop is read');
  }

  task({ of_former }: Step): number {
    return of_former ? this.tasks - 1 : this.tasks;
  }

  open(): void {
    if (this.state.opening === null || this.state.is_revoked) return;
    this.tasks += 1;
    const { why } = this.state.opening;
    // The subscription reads the position of an assigned partition.
    if (why === 'assigned' || why === 'kept') this.position = this.offset;
    this.apply({ tag: 'opened', task: this.tasks, start: this.offset });
  }

  process(task: number): void {
    const { stop, task: open } = this.state;
    if (stop !== null || this.is_paused || open === null || open.id !== task) return;
    this.offset = open.next + 1;
    // The subscription continues after a processed batch.
    this.position = this.offset;
    this.apply({ tag: 'processed', task, next: this.offset });
  }

  stop(task: number): void {
    const stop = new StopPartition('a record of newer code', true);
    // The subscription stops a partition whose batch is rejected.
    if (this.state.task?.id === task && !this.state.is_revoked) this.is_stopped = true;
    this.apply({ tag: 'stopped', task, stop });
  }

  notOpen(): void {
    const { opening } = this.state;
    if (opening === null || this.state.is_revoked) return;
    if (opening.why === 'assigned' || opening.why === 'kept') this.is_stopped = true;
    this.apply({ tag: 'not_opened', stop: new StopPartition('records are missing') });
  }

  /** A rebalance keeps the partition, and its task cannot continue. A partition that was lost is assigned again. */
  keep(): void {
    const before = this.state;
    if (before.is_revoked) {
      this.state = newAssignment(null);
      [this.is_paused, this.is_stopped, this.position] = [false, false, null];
      return;
    }
    this.apply({ tag: 'revoked' });
    this.state = newAssignment(before);
  }
}

const MOVES: Readonly<Record<Kind, (world: World, step: Step) => void>> = {
  open: (world) => world.open(),
  not_open: (world) => world.notOpen(),
  begin: (world, step) => world.apply({ tag: 'work_begun', task: world.task(step), count: step.n }),
  finish: (world, step) => {
    const task = world.task(step);
    const { unfinished = 0 } = world.state.task ?? {};
    world.apply({
      tag: 'work_finished',
      task,
      count: task === world.state.task?.id ? Math.min(step.n, unfinished) : 1,
    });
  },
  process: (world, step) => world.process(world.task(step)),
  stop: (world, step) => world.stop(world.task(step)),
  lose: (world, step) => world.apply({ tag: 'lost', task: world.task(step) }),
  retry: (world) => world.apply({ tag: 'retry_asked' }),
  keep: (world) => world.keep(),
  revoke: (world, { n }) => {
    if (n === 0) world.apply({ tag: 'revoked' });
  },
};

const STEP: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<Kind>('open', 'begin', 'finish', 'process') },
    { weight: 3, arbitrary: fc.constantFrom<Kind>('not_open', 'stop', 'lose', 'retry', 'keep', 'revoke') },
  ),
  n: fc.nat({ max: 6 }),
  of_former: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

test('an owned partition has one task, and is read unless busy or stopped', (t) => {
  const property = fc.property(fc.array(STEP, { minLength: 20, maxLength: 100 }), (history) => {
    const world = new World();
    for (const step of history) MOVES[step.kind](world, step);
  });
  t.notThrows(() => fc.assert(property, { numRuns: runs(8_000) }));
});
