import * as E from 'fp-ts/lib/Either.js';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { foldRender } from '../../../domain/render/fold.ts';
import type { Render, RenderStatus } from '../../../domain/render/render.ts';
import type { WebhookEndpoint } from '../../../domain/webhooks/endpoint.ts';
import { EVENT_KINDS } from '../../../domain/webhooks/event-kinds.ts';
import type { StatusChange } from '../../../webhook-relay/plan/status-changes.ts';
import { assigned, completed, finished, prepared, progressed, requested } from '../../helpers/render-events.ts';

export const endpoint = (change: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  kind: 'webhook_endpoint',
  id: 'whe_1',
  team_id: 'team_1',
  url: 'https://example.org/hooks',
  created_at: 100,
  subscriptions: [{ since: 100, events: EVENT_KINDS }],
  disabled: [],
  secret: 'sealed',
  next_secret: null,
  deleted_at: null,
  ...change,
});

const LIFE: readonly RenderEvent[] = [
  requested(),
  prepared,
  assigned('att_1', 1),
  progressed('att_1'),
  finished('att_1'),
  completed('att_1'),
];

export const renderAfter = (count: number): Render => {
  const render = foldRender(LIFE.slice(0, count).map((event, index) => ({ event, at: 1_000 + index })));
  if (E.isLeft(render) || render.right === null) throw new Error('the events make no render');
  return render.right;
};

export const change = (to: RenderStatus, seq: number, at = 1_000): StatusChange => ({
  partition: 3,
  offset: 7,
  render: renderAfter(seq),
  transition: { seq, from: null, to, at },
  trace: {},
});
