import type { Customer, ProjectKind } from './catalogue.ts';
import type { Answer, Post, PostRender } from './components/command-api.ts';
import type { World } from './world/world.ts';

/** A render that a customer wants, and when, ms. */
export type Order = {
  readonly customer: Customer;
  readonly kind: ProjectKind;
  readonly at_ms: number;
  readonly is_keyed: boolean;
};

/** A command API as a client reaches it: null while it does not listen. */
export type Listening = { readonly post: () => PostRender | null };

export type Clients = {
  /** Orders that have no answer yet that ends them. */
  readonly waiting: () => number;
};

export type ClientsParts = {
  /** Told of each render that a client was told is accepted. */
  readonly acknowledged: (render_id: string) => void;
  /** Whether an answer may be of a store that was restored a moment ago. */
  readonly mayBeOld: (asked_at: number) => boolean;
};

const TIMEOUT_MS = 20_000;
/** A key or a project that is not there, or credits that were spent. */
const OF_OLD_STORE: ReadonlySet<number> = new Set([401, 402, 404]);

/** Posts every order until it is accepted; one without an idempotency key once only, where it may have been accepted. */
export const startClients = (
  world: World,
  orders: readonly Order[],
  apis: readonly Listening[],
  { acknowledged, mayBeOld }: ClientsParts,
): Clients => {
  const { scheduler, random } = world;
  let waiting = orders.length;

  const answered = (api: PostRender, post: Post): Promise<Answer | 'late'> => {
    const { promise, resolve } = Promise.withResolvers<Answer | 'late'>();
    scheduler.after(TIMEOUT_MS, () => resolve('late'));
    scheduler.after(1 + random.next() * 10, () => {
      api(post).then((answer) => scheduler.after(1, () => resolve(answer)));
    });
    return promise;
  };

  const place = async ({ customer, kind, is_keyed }: Order, number: number): Promise<void> => {
    let known: string | null = null;
    const body = { name: `Order ${number}`, project_id: customer.projects[kind] };
    for (let tries = 1; ; tries += 1) {
      const api = random.pick(apis).post();
      const { promise, resolve } = Promise.withResolvers<void>();
      if (api !== null) {
        const id = `req-${number}-${tries}`;
        const asked_at = scheduler.now();
        const answer = await answered(api, {
          id,
          key: customer.key,
          idempotency_key: is_keyed ? `order-${number}` : null,
          body,
        });
        const shown = answer === 'late' ? answer : `${answer.status}`;
        world.trace(`order ${number}: ${shown}`);
        if (answer !== 'late' && answer.status === 201) {
          const { id: render_id } = Object(answer.body);
          acknowledged(render_id);
          if (known !== null && known !== render_id) world.violate(`order ${number} is ${known} and ${render_id}`);
          const asks_again = is_keyed && known === null && random.chance(0.2);
          known = render_id;
          if (!asks_again) return;
        } else if (
          answer !== 'late' &&
          answer.status !== 503 &&
          !(OF_OLD_STORE.has(answer.status) && mayBeOld(asked_at))
        ) {
          world.violate(`order ${number} was answered ${answer.status}: ${answer.body}`);
          return;
        } else if (!is_keyed && (answer === 'late' || String(answer.body).includes('unknown'))) {
          return;
        }
      }
      scheduler.after(random.between(500, 5_000), resolve);
      await promise;
    }
  };

  for (const [number, order] of orders.entries()) {
    scheduler.after(order.at_ms, () => {
      void place(order, number).finally(() => {
        waiting -= 1;
      });
    });
  }
  return { waiting: () => waiting };
};
