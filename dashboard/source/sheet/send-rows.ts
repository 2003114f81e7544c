import { ApiRefusal, api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { refetchSession } from '../api/query-client.ts';
import type { Field } from '../new-video/field-values.ts';
import { nextBatch } from './batches.ts';
import { refusalText } from './refusal-text.ts';
import type { SheetRow } from './rows.ts';
import { isPending, type Order, type Outcome, orderKey, type Sheet, withOutcomes } from './sheet.ts';
import type { SheetStore } from './sheet-store.ts';

export type SentSheet = {
  readonly team_id: string;
  readonly project_id: string;
  readonly template_id: string;
  readonly fields: readonly Field[];
  readonly rowsOf: (sheet: Sheet) => readonly SheetRow[];
};

const FIRST_WAIT_S = 2;
const LONGEST_WAIT_S = 30;
const MS_PER_S = 1_000;

const sleep = (s: number): Promise<void> => new Promise((resolve) => window.setTimeout(resolve, s * MS_PER_S));

/** An outage, a lost network or too many requests pass. */
const passes = (error: unknown): boolean =>
  !(error instanceof ApiRefusal) || error.status === 429 || error.status === 408 || error.status >= 500;

type Wanted = { readonly order: Order; readonly request: Schemas['RenderBatchRequest']['renders'][number] };

const wantedOf = ({ project_id, template_id, rowsOf }: SentSheet, sheet: Sheet): readonly Wanted[] => {
  const rows = rowsOf(sheet);
  return (sheet.orders ?? []).filter(isPending).flatMap((order) => {
    const row = rows[order.row];
    if (row === undefined) return [];
    const { name, values } = row;
    const request = { idempotency_key: orderKey(sheet, order), name, project_id, template_id, values };
    return [{ order, request: sheet.draft ? { ...request, draft: true } : request }];
  });
};

type Answered = { readonly outcomes: readonly Outcome[]; readonly error: ApiRefusal | null; readonly wait_s: number };

/** Sends rows. Rows that the service may accept later have no outcome. */
const send = async ({ team_id, fields }: SentSheet, batch: readonly Wanted[]): Promise<Answered> => {
  const { data } = await unwrapAnswer(
    api.POST('/manage/v1/teams/{team_id}/renders/batch', {
      params: { path: { team_id } },
      body: { renders: batch.map(({ request }) => request) },
    }),
  );
  let wait_s = 0;
  let error: ApiRefusal | null = null;
  const outcomes = batch.flatMap(({ order: { row, attempt } }, index): readonly Outcome[] => {
    const { render = null, refusal = null } = data[index] ?? {};
    if (render !== null) return [{ row, attempt, render_id: render.id, refusal: null }];
    if (refusal === null) return [];
    if (refusal.retry_after_s === null)
      return [{ row, attempt, render_id: null, refusal: refusalText(refusal, fields) }];
    wait_s = Math.max(wait_s, refusal.retry_after_s);
    error = new ApiRefusal(refusal.status, refusal.error, refusal.code, refusal);
    return [];
  });
  return { outcomes, error, wait_s };
};

const running = new WeakSet<SheetStore>();

const sendAll = async (sent: SentSheet, store: SheetStore): Promise<void> => {
  let failures = 0;
  for (;;) {
    const { sheet } = store.get();
    if (sheet === null || !store.isOpen()) return store.tell({ tag: 'idle' });
    const wanted = wantedOf(sent, sheet);
    const size = nextBatch(wanted.map(({ request }) => request)).length;
    if (size === 0) return store.tell({ tag: 'idle' });
    try {
      const { outcomes, error, wait_s } = await send(sent, wanted.slice(0, size));
      failures = 0;
      store.change((before) => (before.id === sheet.id ? withOutcomes(before, outcomes) : before));
      store.tell(error === null ? { tag: 'sending' } : { tag: 'waiting', error });
      await sleep(wait_s);
    } catch (error) {
      const shown = error instanceof Error ? error : new Error(String(error));
      if (!passes(error)) {
        refetchSession();
        return store.tell({ tag: 'stopped', error: shown });
      }
      failures += 1;
      store.tell({ tag: 'waiting', error: shown });
      await sleep(Math.min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** Math.min(failures - 1, 5)));
    }
  }
};

/**
 * Sends the ordered rows until the service has accepted or refused each of them, also if the person moves to another
 * page of the dashboard. The keys of the rows are stored with the sheet, so a repeat after a reload renders none twice.
 */
export const startSending = (sent: SentSheet, store: SheetStore): void => {
  if (running.has(store)) return;
  running.add(store);
  store.tell({ tag: 'sending' });
  void sendAll(sent, store).finally(() => running.delete(store));
};
