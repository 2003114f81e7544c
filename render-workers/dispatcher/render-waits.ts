import { type AccountClass, accountClass } from '../../domain/dispatch/account-class.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';

type Waiting = { readonly account_id: string; readonly account_class: AccountClass };

export type RenderWaits = {
  readonly loaded: (renders: readonly Render[]) => void;
  readonly seen: (render: Render) => void;
};

const byAge = (a: Render, b: Render): number => a.created_at - b.created_at;

/** @param waited gets the account's class at the request, and the ms from there to the first assignment */
export const renderWaits = (waited: (account_class: AccountClass, wait_ms: number) => void): RenderWaits => {
  const waiting = new Map<string, Waiting>();
  const of_account = new Map<string, number>();

  const begin = ({ id, account_id }: Render): void => {
    if (waiting.has(id)) return;
    const others = of_account.get(account_id) ?? 0;
    waiting.set(id, { account_id, account_class: accountClass(others) });
    of_account.set(account_id, others + 1);
  };

  const end = (render_id: string): Waiting | null => {
    const ended = waiting.get(render_id);
    if (ended === undefined) return null;
    waiting.delete(render_id);
    const others = (of_account.get(ended.account_id) ?? 1) - 1;
    if (others === 0) of_account.delete(ended.account_id);
    else of_account.set(ended.account_id, others);
    return ended;
  };

  return {
    loaded: (renders) => {
      waiting.clear();
      of_account.clear();
      for (const render of renders.toSorted(byAge)) if (render.attempts.length === 0) begin(render);
    },
    seen: (render) => {
      const { status, attempts, created_at, updated_at } = render;
      if (attempts.length === 0 && !isFinal(status)) return begin(render);
      const ended = end(render.id);
      // Only the event of the first assignment is measured.
      if (ended === null || status !== 'queued' || updated_at === null) return;
      waited(ended.account_class, updated_at - created_at);
    },
  };
};
