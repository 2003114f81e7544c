import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { AccountSlots } from '../queue/account-slots.ts';
import type { DiskBudget } from './disk-budget.ts';
import type { Preparer } from './preparer.ts';

type Measured = {
  readonly slots: Pick<AccountSlots, 'running' | 'waiting'>;
  readonly thumbnails: Pick<AccountSlots, 'running' | 'waiting'>;
  readonly paused: ReadonlySet<string>;
  readonly preparer: Pick<Preparer, 'remaining'>;
  readonly disk: Pick<DiskBudget, 'reserved'>;
};

export const preparerMetrics = (metrics: Metrics, { slots, thumbnails, paused, preparer, disk }: Measured): void => {
  sampledGauge(metrics, 'preparer_renders', 'Renders in preparation, and waiting ones', ['state'], async () => [
    { labels: { state: 'running' }, value: slots.running() },
    { labels: { state: 'waiting' }, value: slots.waiting() },
    { labels: { state: 'paused' }, value: paused.size },
  ]);
  sampledGauge(metrics, 'preparer_accounts_left', 'Accounts whose renders wait in the read model', [], async () => [
    { labels: {}, value: preparer.remaining() },
  ]);
  sampledGauge(metrics, 'preparer_disk_bytes', 'Bytes reserved for renders in preparation', [], async () => [
    { labels: {}, value: disk.reserved() },
  ]);
  sampledGauge(metrics, 'preparer_stills', 'Thumbnails in progress, and waiting ones', ['state'], async () => [
    { labels: { state: 'running' }, value: thumbnails.running() },
    { labels: { state: 'waiting' }, value: thumbnails.waiting() },
  ]);
};
