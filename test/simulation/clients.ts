import type { Customer, ProjectKind } from './catalogue.ts';
import type { Answer, Commands } from './components/command-api.ts';
import type { World } from './world/world.ts';

/** A render that a customer wants, and when, ms. */
export type Order = {
  readonly customer: Customer;
  readonly kind: ProjectKind;
  readonly at_ms: number;
  readonly is_keyed: boolean;
  /** After the client knows of it; null where it wants the render to the end. */
  readonly cancelled_after_ms: number | null;
  /** Likewise: it is to be forgotten, as soon as it has ended. */
  readonly erased_after_ms: number | null;
};

/** A command API as a client reaches it: null while it does not listen. */
export type Listening = { readonly commands: () => Commands | null };

export type WaitingOrder = { readonly number: number; readonly customer: Customer };

export type Clients = {
  /** Orders that have no answer yet that ends them. */
  readonly waiting: () => number;
  /** Orders that were placed before a time (ms) and are not answered yet. */
  readonly waitingSince: (before: number) => readonly WaitingOrder[];
};

export type ClientsParts = {
  /** Called with each render that a client learns is accepted. */
  readonly acknowledged: (render_id: string) => void;
  /** Called with each render that a client is about to cancel, and with each answer to that. */
  readonly cancelling: (render_id: string) => void;
  readonly cancelled: (render_id: string, answer: Answer) => void;
  /** Called with each render that is about to be erased. */
  readonly erasing: (render_id: string) => void;
  /** Whether an answer may be of a store that was restored a moment ago. */
  readonly mayBeOld: (asked_at: number) => boolean;
  /** Whether somebody erases the project. */
  readonly isErasing: (project_id: string) => boolean;
  /** Whether the log says that the render was erased: then it is not found, whatever the time. */
  readonly isErased: (render_id: string) => boolean;
};

export const nameOfOrder = (number: number): string => `Order ${number}`;

const TIMEOUT_MS = 20_000;
/** More than what is asked for in a world. */
const MANY_CREDITS = 1_000_000;
/** A key or a project that is not there, or credits that were spent. */
const OF_OLD_STORE: ReadonlySet<number> = new Set([401, 402, 404]);

/** Posts every order until it is accepted; one without an idempotency key once only, where it may have been accepted. */
export const startClients = (
  world: World,
  orders: readonly Order[],
  apis: readonly Listening[],
  { acknowledged, cancelling, cancelled, erasing, mayBeOld, isErasing, isErased }: ClientsParts,
): Clients => {
  const { scheduler, random } = world;
  let waiting = orders.length;
  const placed = new Map<number, { readonly at: number; readonly customer: Customer }>();

  const answered = (ask: () => Promise<Answer>): Promise<Answer | 'late'> => {
    const { promise, resolve } = Promise.withResolvers<Answer | 'late'>();
    scheduler.after(TIMEOUT_MS, () => resolve('late'));
    scheduler.after(1 + random.next() * 10, () => {
      ask().then((answer) => scheduler.after(1, () => resolve(answer)));
    });
    return promise;
  };

  const passed = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    scheduler.after(ms, resolve);
    return promise;
  };

  /** Repeats the request until it learns the outcome of the render. */
  const cancelOne = async (key: string, render_id: string): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      const api = random.pick(apis).commands();
      if (api !== null) {
        const asked_at = scheduler.now();
        const is_gone = isErased(render_id);
        const answer = await answered(() => api.cancel({ id: `req-${render_id}-${tries}`, key, render_id }));
        world.trace(`cancel ${render_id}: ${answer === 'late' ? answer : answer.status}`);
        const is_old = answer !== 'late' && OF_OLD_STORE.has(answer.status) && mayBeOld(asked_at);
        if (answer !== 'late' && (!is_old || (answer.status === 404 && is_gone))) {
          cancelled(render_id, answer);
          if (answer.status !== 503) return;
        }
      }
      await passed(random.between(500, 5_000));
    }
  };

  const cancel = async ({ customer: { key }, cancelled_after_ms }: Order, render_id: string): Promise<void> => {
    if (cancelled_after_ms === null) return;
    await passed(cancelled_after_ms);
    cancelling(render_id);
    const at_once = random.chance(0.3) ? 3 : 1;
    await Promise.all(Array.from({ length: at_once }, () => cancelOne(key, render_id)));
  };

  const bodyOf = ({ customer, kind }: Order, number: number) => ({
    name: nameOfOrder(number),
    project_id: customer.projects[kind],
    // Two kinds of films of one project, which begin alike.
    draft: number % 2 === 0,
  });

  /** Repeats a request with its key: the render is gone, and no new one is created. */
  const askAgain = async (order: Order, number: number, render_id: string): Promise<void> => {
    const { customer, is_keyed } = order;
    if (!is_keyed) return;
    for (let tries = 1; ; tries += 1) {
      const api = random.pick(apis).commands();
      if (api !== null) {
        const asked_at = scheduler.now();
        const request = { id: `req-${number}-again-${tries}`, key: customer.key, idempotency_key: `order-${number}` };
        const answer = await answered(() => api.post({ ...request, body: bodyOf(order, number) }));
        if (answer !== 'late' && answer.status !== 503 && !mayBeOld(asked_at)) {
          if (answer.status !== 422)
            world.violate(
              `order ${number}, whose ${render_id} was erased, was answered ${answer.status}: ${answer.body}`,
            );
          return;
        }
      }
      await passed(random.between(500, 5_000));
    }
  };

  const erase = async (order: Order, number: number, render_id: string): Promise<void> => {
    if (order.erased_after_ms === null) return;
    await passed(order.erased_after_ms);
    erasing(render_id);
    for (let tries = 1; ; tries += 1) {
      const api = random.pick(apis).commands();
      if (api !== null) {
        const asked_at = scheduler.now();
        const answer = await answered(() => api.erase({ id: `req-erase-${render_id}-${tries}`, render_id }));
        world.trace(`erase ${render_id}: ${answer === 'late' ? answer : answer.status}`);
        if (answer !== 'late' && answer.status === 200) return await askAgain(order, number, render_id);
        const is_wrong = answer !== 'late' && ![409, 503].includes(answer.status) && !mayBeOld(asked_at);
        if (is_wrong && !(answer.status === 404 && tries < 20))
          world.violate(`erasing ${render_id} was answered ${answer.status}: ${answer.body}`);
      }
      await passed(random.between(500, 5_000));
    }
  };

  /** @returns the render, where it is known */
  const place = async (order: Order, number: number): Promise<string | null> => {
    const { customer, is_keyed } = order;
    let known: string | null = null;
    const body = bodyOf(order, number);
    for (let tries = 1; ; tries += 1) {
      const api = random.pick(apis).commands();
      if (api !== null) {
        const id = `req-${number}-${tries}`;
        const asked_at = scheduler.now();
        const idempotency_key = is_keyed ? `order-${number}` : null;
        const answer = await answered(() => api.post({ id, key: customer.key, idempotency_key, body }));
        const shown = answer === 'late' ? answer : `${answer.status}`;
        world.trace(`order ${number}: ${shown}`);
        if (answer !== 'late' && answer.status === 201) {
          const { id: render_id } = Object(answer.body);
          acknowledged(render_id);
          if (known !== null && known !== render_id) world.violate(`order ${number} is ${known} and ${render_id}`);
          const asks_again = is_keyed && known === null && random.chance(0.2);
          known = render_id;
          if (!asks_again) return known;
        } else if (answer !== 'late' && answer.status === 402 && (customer.credits ?? MANY_CREDITS) < MANY_CREDITS) {
          return null;
        } else if (answer !== 'late' && answer.status === 404 && isErasing(body.project_id)) {
          return null;
        } else if (
          answer !== 'late' &&
          answer.status !== 503 &&
          !(OF_OLD_STORE.has(answer.status) && mayBeOld(asked_at))
        ) {
          world.violate(`order ${number} was answered ${answer.status}: ${answer.body}`);
          return null;
        } else if (!is_keyed && (answer === 'late' || String(answer.body).includes('unknown'))) {
          return null;
        }
      }
      await passed(random.between(500, 5_000));
    }
  };

  for (const [number, order] of orders.entries()) {
    scheduler.after(order.at_ms, () => {
      placed.set(number, { at: scheduler.now(), customer: order.customer });
      void place(order, number)
        .then((render_id) => {
          placed.delete(number);
          if (render_id === null) return;
          void erase(order, number, render_id);
          return cancel(order, render_id);
        })
        .finally(() => {
          waiting -= 1;
        });
    });
  }
  return {
    waiting: () => waiting,
    waitingSince: (before) =>
      [...placed].flatMap(([number, { at, customer }]) => (at < before ? [{ number, customer }] : [])),
  };
};
