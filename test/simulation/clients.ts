import { COLOUR_KEY, type Customer, type ProjectKind, TEMPLATE_ID } from './catalogue.ts';
import type { Answer, Commands } from './components/command-api.ts';
import type { World } from './world/world.ts';

/** A render that a customer orders at a time, ms. */
export type Order = {
  readonly customer: Customer;
  readonly kind: ProjectKind;
  readonly at_ms: number;
  readonly is_keyed: boolean;
  /** The delay after the render is acknowledged; null without a cancellation. */
  readonly cancelled_after_ms: number | null;
  /** The delay after the render is acknowledged; null without an erasure. */
  readonly erased_after_ms: number | null;
};

/** A command API; null while it does not listen. */
export type Listening = { readonly commands: () => Commands | null };

export type WaitingOrder = { readonly number: number; readonly customer: Customer };

export type Clients = {
  /** Counts the orders without a final answer. */
  readonly waiting: () => number;
  /** Orders without a final answer that were placed before a time, ms. */
  readonly waitingSince: (before: number) => readonly WaitingOrder[];
};

export type ClientsDependencies = {
  /** Called before each request for a render. */
  readonly posting: (id: string, body: OrderBody) => void;
  readonly acknowledged: (render_id: string) => void;
  /** Called before the first request to cancel. */
  readonly cancelling: (render_id: string) => void;
  readonly cancelled: (render_id: string, answer: Answer) => void;
  /** Called before the first request to erase. */
  readonly erasing: (render_id: string) => void;
  /** Whether an answer can come from a store that was restored recently. */
  readonly mayBeOld: (asked_at: number) => boolean;
  readonly isErasing: (project_id: string) => boolean;
  readonly isErasingAccount: (account_id: string) => boolean;
  /** Whether the log has the erasure: then 404 is right also soon after a restore. */
  readonly isErased: (render_id: string) => boolean;
};

export const nameOfOrder = (number: number): string => `Order ${number}`;

const TIMEOUT_MS = 20_000;
/** More than all orders of a world cost. */
const MANY_CREDITS = 1_000_000;
/** Answers about an account that is being erased. */
const OF_ERASED_ACCOUNT: ReadonlySet<number> = new Set([401, 404]);
/** Answers of a restored store that lacks a key or a project, or has fewer credits. */
const OF_OLD_STORE: ReadonlySet<number> = new Set([401, 402, 404]);

type Context = ClientsDependencies & { readonly world: World; readonly apis: readonly Listening[] };

type AnswerOrLate = Answer | 'late';

const wait = ({ world: { scheduler } }: Context, ms: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  scheduler.after(ms, resolve);
  return promise;
};

const request = ({ world: { scheduler, random } }: Context, ask: () => Promise<Answer>): Promise<AnswerOrLate> => {
  const { promise, resolve } = Promise.withResolvers<AnswerOrLate>();
  scheduler.after(TIMEOUT_MS, () => resolve('late'));
  scheduler.after(1 + random.next() * 10, () => {
    ask().then((answer) => scheduler.after(1, () => resolve(answer)));
  });
  return promise;
};

const statusOf = (answer: AnswerOrLate): string => (answer === 'late' ? answer : `${answer.status}`);

/** Repeats an attempt at random APIs until it returns something other than undefined. */
const repeat = async <A>(
  context: Context,
  attempt: (api: Commands, tries: number) => Promise<A | undefined>,
): Promise<A> => {
  const { random } = context.world;
  for (let tries = 1; ; tries += 1) {
    const api = random.pick(context.apis).commands();
    if (api !== null) {
      const outcome = await attempt(api, tries);
      if (outcome !== undefined) return outcome;
    }
    await wait(context, random.between(500, 5_000));
  }
};

/** Repeats the request until it learns the outcome of the render. */
const cancelOnce = (context: Context, key: string, render_id: string): Promise<true> =>
  repeat(context, async (api, tries) => {
    const { world, isErased, mayBeOld, cancelled } = context;
    const asked_at = world.scheduler.now();
    const is_gone = isErased(render_id);
    const answer = await request(context, () => api.cancel({ id: `req-${render_id}-${tries}`, key, render_id }));
    world.trace(`cancel ${render_id}: ${statusOf(answer)}`);
    if (answer === 'late') return undefined;
    const is_old = OF_OLD_STORE.has(answer.status) && mayBeOld(asked_at);
    if (is_old && !(answer.status === 404 && is_gone)) return undefined;
    cancelled(render_id, answer);
    return answer.status === 503 ? undefined : true;
  });

/** Cancels as ordered, sometimes with three requests at a time. */
const cancel = async (context: Context, order: Order, render_id: string): Promise<void> => {
  const { customer, cancelled_after_ms } = order;
  if (cancelled_after_ms === null) return;
  await wait(context, cancelled_after_ms);
  context.cancelling(render_id);
  const at_once = context.world.random.chance(0.3) ? 3 : 1;
  await Promise.all(Array.from({ length: at_once }, () => cancelOnce(context, customer.key, render_id)));
};

export type OrderBody = {
  readonly name: string;
  readonly project_id: string;
  readonly draft: boolean;
  readonly template_id: string | null;
  readonly values: Readonly<Record<string, string>>;
};

const bodyOf = ({ customer, kind }: Order, number: number): OrderBody => ({
  name: nameOfOrder(number),
  project_id: customer.projects[kind],
  // Two kinds of films of one project, which begin alike.
  draft: number % 2 === 0,
  ...(number % 3 === 0
    ? { template_id: null, values: {} }
    : { template_id: TEMPLATE_ID, values: { [COLOUR_KEY]: `#${number.toString(16).toUpperCase().padStart(6, '0')}` } }),
});

/** Repeats the request of an erased render with its idempotency key, which must create no new render. */
const postAgain = async (context: Context, order: Order, number: number, render_id: string): Promise<void> => {
  const { customer, is_keyed } = order;
  if (!is_keyed) return;
  await repeat(context, async (api, tries) => {
    const { world, posting, mayBeOld, isErasingAccount } = context;
    const asked_at = world.scheduler.now();
    const head = { id: `req-${number}-again-${tries}`, key: customer.key, idempotency_key: `order-${number}` };
    const body = bodyOf(order, number);
    posting(head.id, body);
    const answer = await request(context, () => api.post({ ...head, body }));
    if (answer === 'late' || answer.status === 503 || mayBeOld(asked_at)) return undefined;
    if (OF_ERASED_ACCOUNT.has(answer.status) && isErasingAccount(customer.account_id)) return true;
    if (answer.status !== 422)
      world.violate(`order ${number}, whose ${render_id} was erased, was answered ${answer.status}: ${answer.body}`);
    return true;
  });
};

const erase = async (context: Context, order: Order, number: number, render_id: string): Promise<void> => {
  const { world, erasing, mayBeOld } = context;
  if (order.erased_after_ms === null) return;
  await wait(context, order.erased_after_ms);
  erasing(render_id);
  await repeat(context, async (api, tries) => {
    const asked_at = world.scheduler.now();
    const answer = await request(context, () => api.erase({ id: `req-erase-${render_id}-${tries}`, render_id }));
    world.trace(`erase ${render_id}: ${statusOf(answer)}`);
    if (answer === 'late') return undefined;
    if (answer.status === 200) return true;
    const is_wrong = ![409, 503].includes(answer.status) && !mayBeOld(asked_at);
    if (is_wrong && !(answer.status === 404 && tries < 20))
      world.violate(`erasing ${render_id} was answered ${answer.status}: ${answer.body}`);
    return undefined;
  });
  await postAgain(context, order, number, render_id);
};

/** Whether an answer other than 201 ends the order. */
const endsOrder = (
  { world, isErasing, isErasingAccount, mayBeOld }: Context,
  { customer, kind, is_keyed }: Order,
  number: number,
  { answer, asked_at }: { readonly answer: AnswerOrLate; readonly asked_at: number },
): boolean => {
  // The render may exist. A repeated request without a key would create another one.
  if (answer === 'late') return !is_keyed;
  const { status, body } = answer;
  if (status === 402 && (customer.credits ?? MANY_CREDITS) < MANY_CREDITS) return true;
  if (status === 404 && isErasing(customer.projects[kind])) return true;
  if (OF_ERASED_ACCOUNT.has(status) && isErasingAccount(customer.account_id)) return true;
  if (status !== 503 && !(OF_OLD_STORE.has(status) && mayBeOld(asked_at))) {
    world.violate(`order ${number} was answered ${status}: ${body}`);
    return true;
  }
  return !is_keyed && String(body).includes('unknown');
};

/** @returns the id of the render; null if the order ends without one */
const place = (context: Context, order: Order, number: number): Promise<string | null> => {
  const { customer, is_keyed } = order;
  const { world, posting, acknowledged } = context;
  const body = bodyOf(order, number);
  const idempotency_key = is_keyed ? `order-${number}` : null;
  let known: string | null = null;
  return repeat<string | null>(context, async (api, tries) => {
    const asked_at = world.scheduler.now();
    const post = (id: string, at: Commands): Promise<AnswerOrLate> => {
      posting(id, body);
      return request(context, () => at.post({ id, key: customer.key, idempotency_key, body }));
    };
    const other = context.apis.map(({ commands }) => commands()).find((one) => one !== null && one !== api) ?? null;
    // A client may repeat a request while the first one is under way, at another API.
    if (is_keyed && other !== null && world.random.chance(0.5)) void post(`req-${number}-${tries}-again`, other);
    const answer = await post(`req-${number}-${tries}`, api);
    world.trace(`order ${number}: ${statusOf(answer)}`);
    if (answer === 'late' || answer.status !== 201)
      return endsOrder(context, order, number, { answer, asked_at }) ? null : undefined;
    const { id: render_id } = Object(answer.body);
    acknowledged(render_id);
    if (known !== null && known !== render_id) world.violate(`order ${number} is ${known} and ${render_id}`);
    const asks_again = is_keyed && known === null && world.random.chance(0.2);
    known = String(render_id);
    return asks_again ? undefined : known;
  });
};

/**
 * Posts every order until it is accepted. An order without an idempotency key is not repeated after an answer that
 * leaves its outcome unknown.
 */
export const startClients = (
  world: World,
  orders: readonly Order[],
  apis: readonly Listening[],
  parts: ClientsDependencies,
): Clients => {
  const { scheduler } = world;
  const context: Context = { ...parts, world, apis };
  let waiting = orders.length;
  const placed = new Map<number, { readonly at: number; readonly customer: Customer }>();
  for (const [number, order] of orders.entries()) {
    scheduler.after(order.at_ms, () => {
      placed.set(number, { at: scheduler.now(), customer: order.customer });
      void place(context, order, number)
        .then((render_id) => {
          placed.delete(number);
          if (render_id === null) return;
          void erase(context, order, number, render_id);
          return cancel(context, order, render_id);
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
