import { setTimeout as pause } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import pLimit from 'p-limit';
import { ulid } from 'ulid';
import { type Answer, bearer, sendOnce } from '../integration/api/_client.ts';
import { TEMPLATE } from './_films.ts';
import { getOnce, isOver, renderIn, type Service, traced, untilFold } from './_service.ts';
import { assertLife, WHOLE_LIFE } from './_whole-life.ts';

export const SMALL_FILM = {
  ...{ width: 64, height: 36, fps: 10, duration: 1 },
  layers: [{ id: 'title', type: 'text', text: 'Hello', x: 2, y: 2, width: 60, height: 20, font_size: 10 }],
  fields: [
    {
      ...{ key: 'title', label: 'title', description: null, kind: 'text', widget: 'text', default_value: 'Hello' },
      target: { layer: 'title', property: 'text' },
    },
  ],
};

export type LoadOptions = {
  readonly project_id: string;
  readonly api?: (component: 'command-api' | 'query-api') => string;
  readonly clients?: number;
  readonly between_ms: number;
  /** A client retries refused or broken requests for this long, as behind a load balancer. */
  readonly acknowledged_within_ms: number;
  /** The maximum time without a finished render after the last POST. */
  readonly stands_still_after_ms: number;
  readonly excused?: readonly number[];
  readonly say: (line: string) => void;
};

export type LoadFigures = { readonly renders: number; readonly post_ms: number; readonly render_ms: number };

export type Load = {
  readonly posted: () => number;
  readonly ids: () => readonly string[];
  /** Never resolves; rejects if a request is not answered in time. */
  readonly broken: Promise<never>;
  /** Stops posting, waits until all renders end, and checks in every source that each is complete once. */
  readonly settle: (t: ExecutionContext) => Promise<LoadFigures>;
};

export const startLoad = (service: Service, options: LoadOptions): Load => {
  const { project_id, clients = 1, between_ms, acknowledged_within_ms, stands_still_after_ms } = options;
  const { excused = [503], say } = options;
  const api = options.api ?? (() => service.stack.base_url);
  const headers = { ...bearer(service.seeded.api_key), 'Content-Type': 'application/json' };
  const strange: string[] = [];
  const ids: string[] = [];
  const longest = { post_ms: 0, render_ms: 0 };
  let is_on = true;

  const patiently = async (what: string, ask: () => Promise<Answer>, wanted: number): Promise<Answer> => {
    const end = Date.now() + acknowledged_within_ms;
    for (;;) {
      const answer = await ask().catch((error: Error) => error);
      if (!(answer instanceof Error)) {
        if (answer.status === wanted) return answer;
        if (!excused.includes(answer.status)) strange.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      if (Date.now() > end) throw new Error(`${what}: ${answer instanceof Error ? answer : JSON.stringify(answer)}`);
      await pause(200);
    }
  };
  const seen = async (id: string) => renderIn(await patiently(`GET ${id}`, () => getOnce(service, id), 200));

  const post = async (): Promise<void> => {
    while (is_on) {
      const body = { name: 'Of a test', project_id, template_id: TEMPLATE, values: { title: `No ${ids.length}` } };
      const its = { ...headers, 'Idempotency-Key': ulid() };
      const began = Date.now();
      const once = () =>
        sendOnce(`${api('command-api')}/v1/renders`, { method: 'POST', body: JSON.stringify(body), headers: its });
      const { id } = renderIn(await patiently('POST', once, 201));
      longest.post_ms = Math.max(longest.post_ms, Date.now() - began);
      ids.push(id);
      await seen(id);
      await pause(between_ms);
    }
  };
  const posting = Promise.all(Array.from({ length: clients }, post));
  const broken = new Promise<never>((_, reject) => posting.catch(reject));
  broken.catch(() => undefined);

  return {
    posted: () => ids.length,
    ids: () => ids,
    broken,
    settle: async (t) => {
      is_on = false;
      await posting;
      const open = new Set(ids);
      let last_end = Date.now();
      while (open.size > 0) {
        for (const id of open) {
          const render = await seen(id);
          if (!isOver(render)) continue;
          t.is(render.status, 'complete', id);
          open.delete(id);
          last_end = Date.now();
          longest.render_ms = Math.max(longest.render_ms, (render.updated_at ?? 0) - render.created_at);
        }
        if (open.size === 0) break;
        say(`${open.size} of ${ids.length} renders are not over`);
        if (Date.now() - last_end > stands_still_after_ms) {
          for (const id of open) say(JSON.stringify((await traced(service, id)).trace.rows));
          throw new Error(`no render ended for ${stands_still_after_ms} ms, and these are not over: ${[...open]}`);
        }
        await pause(1_000);
      }
      const at_once = pLimit(8);
      await Promise.all(ids.map((id) => at_once(() => assertLife(t, service, id, WHOLE_LIFE))));
      await untilFold(service);
      t.deepEqual(strange, []);
      return { renders: ids.length, ...longest };
    },
  };
};
