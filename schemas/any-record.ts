import type { CatalogueEvent } from '../domain/catalogue/events.ts';
import type { RenderCommand } from '../domain/dispatch/commands.ts';
import type { Heartbeat } from '../domain/dispatch/heartbeats.ts';
import type { RenderEvent } from '../domain/render/events.ts';
import type { RenderFactAccepted } from '../domain/render/status.ts';
import type { WebhookEvent } from '../domain/webhooks/delivery-events.ts';

export type AnyRecord = RenderEvent | RenderFactAccepted | RenderCommand | Heartbeat | CatalogueEvent | WebhookEvent;
export type RecordType = AnyRecord['type'];
