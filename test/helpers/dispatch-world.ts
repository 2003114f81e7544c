import type { DispatchAction, Observation } from '../../domain/dispatch/dispatch.ts';
import { createDispatcher, type Dispatcher } from '../../domain/dispatch/dispatcher.ts';
import type { Heartbeat } from '../../domain/dispatch/heartbeats.ts';
import { actor } from '../../domain/event/meta.ts';
import type { RenderEvent } from '../../domain/render/events.ts';
import { foldStep } from '../../domain/render/fold.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';
import {
  assigned,
  cancelled,
  completed,
  failed,
  finished,
  lost,
  metaBy,
  prepared,
  progressed,
  requested,
} from './render-events.ts';

type Command = { readonly tag: 'start' | 'stop'; readonly render_id: string; readonly attempt_id: string };
type Status = { readonly render: Render; readonly offset: number; readonly actor: string };

type WorkerModel = {
  id: string;
  slots: number;
  cursor: number;
  beat: number;
  known: Set<string>;
  running: Map<string, { render_id: string; step: number }>;
};

type DispatcherModel = {
  active: boolean;
  core: Dispatcher;
  statusCursor: number;
  beatCursor: number;
  inbox: Observation[];
};

export class DispatchWorld {
  now = 0;
  readonly events: RenderEvent[] = [];
  readonly folded = new Map<string, Render>();
  readonly status: Status[] = [];
  readonly beats: { readonly beat: Heartbeat; readonly sent_at: number }[] = [];
  readonly commands = new Map<string, Command[]>();
  readonly workers: WorkerModel[];
  readonly dispatchers: DispatcherModel[];
  readonly violations: string[] = [];
  #ids = 0;
  #engines: number[] = [1, 2];

  constructor(renders: readonly string[], workers: number, dispatchers: number) {
    this.workers = Array.from({ length: workers }, (_, i) => this.#freshWorker(i));
    this.dispatchers = Array.from({ length: dispatchers }, () => ({
      active: false,
      core: this.#newCore(),
      statusCursor: 0,
      beatCursor: 0,
      inbox: [],
    }));
    for (const render_id of renders) this.newRender(render_id);
  }

  newRender(render_id = this.#fresh('rend')): void {
    this.append(requested({ render_id, fold_version: 2, account_id: `acc_${this.events.length % 3}` }));
    this.append({ ...prepared, render_id });
  }

  #newCore(): Dispatcher {
    return createDispatcher({ account_cap: 3, environment_timeout_ms: 86_400_000 }, () => this.#fresh('att'));
  }

  #fresh(kind: string): string {
    this.#ids += 1;
    return `${kind}_${this.#ids}`;
  }

  /** Every second worker has an id that names its machine. The other ids have the former format, without a machine. */
  #freshWorker(index: number): WorkerModel {
    const place = index % 2;
    const id = this.#fresh(place === 1 ? `wkr_0000000${place}` : 'wkr');
    this.commands.set(id, []);
    return { id, slots: 1 + (this.#ids % 2), cursor: 0, beat: 0, known: new Set(), running: new Map() };
  }

  append(event: RenderEvent): void {
    const offset = this.events.push(event) - 1;
    const step = foldStep(this.folded.get(event.render_id) ?? null, event, offset);
    if (step.tag !== 'accepted') return;
    this.folded.set(event.render_id, step.render);
    this.status.push({ render: step.render, offset, actor: event.meta.actor });
  }

  repeatEvent(index: number): void {
    const event = this.events[index % this.events.length];
    if (event !== undefined) this.append(event);
  }

  cancel(index: number): void {
    const render_id = [...this.folded.keys()][index % this.folded.size];
    if (render_id !== undefined) this.append({ ...cancelled(), render_id });
  }

  /** Attempts that workers run although their renders have ended. */
  inVain(): readonly string[] {
    const is_over = (render_id: string): boolean => {
      const render = this.folded.get(render_id);
      return render !== undefined && isFinal(render.status);
    };
    return this.workers.flatMap(({ running }) =>
      [...running].flatMap(([attempt_id, { render_id }]) => (is_over(render_id) ? attempt_id : [])),
    );
  }

  /** Makes this dispatcher active. The other dispatchers get no notice: they become zombies, or `revoke` stops them. */
  takeOver(index: number): void {
    const dispatcher = this.#dispatcher(index);
    dispatcher.active = true;
    dispatcher.core = this.#newCore();
    dispatcher.statusCursor = this.status.length;
    dispatcher.beatCursor = this.beats.length;
    dispatcher.inbox = [...this.folded.values()]
      .filter((render) => !isFinal(render.status))
      .map((render) => this.#seen(render));
    dispatcher.inbox.push({ tag: 'loaded' });
  }

  revoke(index: number): void {
    this.#dispatcher(index).active = false;
  }

  #dispatcher(index: number): DispatcherModel {
    const dispatcher = this.dispatchers[index % this.dispatchers.length];
    if (dispatcher === undefined) throw new Error('a world has a dispatcher');
    return dispatcher;
  }

  #seen(render: Render): Observation {
    return { tag: 'render_seen', render, offset: this.events.length - 1, event_id: null, actor: null };
  }

  ownBeat(index: number): void {
    if (!this.#dispatcher(index).active) return;
    const beat: Heartbeat = {
      type: 'DispatcherBeat',
      meta: metaBy('dispatcher:d'),
      dispatcher_id: String(index),
      beat: 1,
      set_aside: [],
    };
    this.beats.push({ beat, sent_at: this.now });
  }

  readStatus(index: number, count: number): void {
    const dispatcher = this.#dispatcher(index);
    const records = this.status.slice(dispatcher.statusCursor, dispatcher.statusCursor + count);
    dispatcher.statusCursor += records.length;
    this.#turn(index, [
      ...dispatcher.inbox.splice(0),
      ...records.map(
        ({ render, offset, actor: by }): Observation => ({
          tag: 'render_seen',
          render,
          offset,
          event_id: `evt_${offset}`,
          actor: by,
        }),
      ),
    ]);
  }

  readBeats(index: number): void {
    const dispatcher = this.#dispatcher(index);
    const read = this.beats.slice(dispatcher.beatCursor);
    dispatcher.beatCursor = this.beats.length;
    const observations = read.flatMap(({ beat, sent_at }): Observation[] => {
      if (beat.type === 'WorkerBeat') return [{ tag: 'worker_heartbeat', beat }];
      return beat.dispatcher_id === String(index) ? [{ tag: 'own_heartbeat', sent_at }] : [];
    });
    this.#turn(index, [...dispatcher.inbox.splice(0), ...observations]);
  }

  #turn(index: number, observations: readonly Observation[]): void {
    const dispatcher = this.#dispatcher(index);
    if (!dispatcher.active) return;
    dispatcher.core.observe(observations, this.now);
    for (const action of dispatcher.core.decide(this.now)) this.#perform(dispatcher, action);
  }

  #perform(dispatcher: DispatcherModel, action: DispatchAction): void {
    const by = { meta: metaBy(actor('dispatcher', 'd')) };
    switch (action.tag) {
      case 'assign': {
        const { attempt_id, n, worker_id, render } = action;
        this.append({ ...assigned(attempt_id, n), ...by, worker_id, render_id: render.id });
        break;
      }
      case 'lose':
        this.append({ ...lost(action.attempt_id, action.reason), ...by, render_id: action.render.id });
        break;
      case 'fail':
        this.append({
          ...failed('dispatcher:d', null),
          render_id: action.render.id,
          stage: 'dispatch',
          code: action.code,
        });
        break;
      case 'start': {
        const { worker_id, attempt_id, render } = action;
        const accepted = this.folded.get(render.id)?.attempts.find(({ id }) => id === attempt_id);
        if (accepted?.worker_id !== worker_id) this.violations.push(`${attempt_id} was started, never accepted`);
        this.commands.get(worker_id)?.push({ tag: 'start', render_id: render.id, attempt_id });
        dispatcher.inbox.push({ tag: 'command_sent', render_id: render.id, attempt_id });
        break;
      }
      case 'stop': {
        const { worker_id, render_id, attempt_id } = action;
        const render = this.folded.get(render_id);
        const open = render === undefined || isFinal(render.status) ? undefined : render.attempts.at(-1);
        if (open?.id === attempt_id && open.lost === null) this.violations.push(`${attempt_id} was stopped while open`);
        this.commands.get(worker_id)?.push({ tag: 'stop', render_id, attempt_id });
        break;
      }
      case 'look_up': {
        const render = this.folded.get(action.render_id);
        if (render !== undefined) dispatcher.inbox.push(this.#seen(render));
        break;
      }
    }
  }

  #worker(index: number): WorkerModel {
    const worker = this.workers[index % this.workers.length];
    if (worker === undefined) throw new Error('a world has a worker');
    return worker;
  }

  readCommands(index: number): void {
    const worker = this.#worker(index);
    const commands = this.commands.get(worker.id) ?? [];
    for (; worker.cursor < commands.length; worker.cursor += 1) {
      const command = commands[worker.cursor];
      if (command?.tag === 'stop') {
        worker.known.add(command.attempt_id);
        worker.running.delete(command.attempt_id);
      }
      if (command?.tag !== 'start' || worker.known.has(command.attempt_id)) continue;
      if (worker.running.size >= worker.slots) continue;
      worker.known.add(command.attempt_id);
      worker.running.set(command.attempt_id, { render_id: command.render_id, step: 0 });
    }
  }

  workerBeat(index: number): void {
    const worker = this.#worker(index);
    worker.beat += 1;
    const attempts = [...worker.running].map(([attempt_id, { render_id }]) => ({
      render_id,
      attempt_id,
      stage: 'rendering',
      frames_done: 0,
      frames_total: 300,
    }));
    const { id: worker_id, beat, slots } = worker;
    const meta = metaBy(actor('worker', worker_id));
    this.beats.push({
      beat: {
        ...{ type: 'WorkerBeat', meta, worker_id, beat, slots, draining: false, attempts, failed: [] },
        ...{ engines: this.#engines, impediments: [], wanted: [], helps: [] },
      },
      sent_at: this.now,
    });
  }

  work(index: number): void {
    const worker = this.#worker(index);
    const meta = metaBy(actor('worker', worker.id));
    for (const [attempt_id, attempt] of worker.running) {
      const events = [progressed(attempt_id), finished(attempt_id), completed(attempt_id)];
      const event = events[attempt.step];
      if (event !== undefined) this.append({ ...event, meta, render_id: attempt.render_id });
      attempt.step += 1;
      if (attempt.step === events.length) worker.running.delete(attempt_id);
    }
  }

  handBack(index: number, reason: string): void {
    const worker = this.#worker(index);
    const meta = metaBy(actor('worker', worker.id));
    for (const [attempt_id, { render_id }] of worker.running)
      this.append({ ...lost(attempt_id, reason), meta, render_id });
    worker.running.clear();
  }

  upgradeWorkers(): void {
    this.#engines = [...this.#engines, this.#engines.length + 1];
    for (const [i] of this.workers.entries()) this.crash(i);
  }

  /** Dies without notice, and another worker replaces it. */
  crash(index: number): void {
    const place = index % this.workers.length;
    this.workers[place] = this.#freshWorker(place);
  }

  calmStep(index: number): void {
    this.now += 500;
    this.ownBeat(index);
    for (const [i] of this.workers.entries()) {
      this.workerBeat(i);
      this.readCommands(i);
      this.work(i);
    }
    this.readBeats(index);
    this.readStatus(index, Number.POSITIVE_INFINITY);
  }
}
