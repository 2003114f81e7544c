import type { ExecutionContext } from 'ava';
import { type RenderStatus, STATUSES } from '../../domain/render/render.ts';
import { deliveriesOf, type Service, traced, transitionsOf } from './_service.ts';

export const WHOLE_LIFE: readonly RenderStatus[] = STATUSES.filter((status) => status !== 'failed');
export const FAILED_EARLY: readonly RenderStatus[] = ['initializing', 'failed'];

export const assertLife = async (
  t: ExecutionContext,
  service: Service,
  id: string,
  statuses: readonly RenderStatus[],
): Promise<void> => {
  const last = statuses.at(-1);
  const transitions = await transitionsOf(service, id);
  t.deepEqual(
    transitions.map(({ seq, status }) => [seq, status]),
    statuses.map((status, i) => [i + 1, status]),
  );
  const times = transitions.map(({ at }) => at);
  t.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );

  const { trace, agreement } = await traced(service, id);
  t.deepEqual(agreement, { tag: 'agrees' });
  const accepted = trace.rows.filter(({ verdict }) => verdict === 'accepted');
  const changes = accepted.flatMap(({ transition }) => transition ?? []);
  t.deepEqual(
    changes.map(({ seq, from, to, at }) => ({ seq, from, to, at })),
    transitions.map(({ seq, status, at }, i) => ({ seq, from: statuses[i - 1] ?? null, to: status, at })),
  );
  t.is(accepted.filter(({ type }) => type === 'RenderCompleted').length, last === 'complete' ? 1 : 0);
  t.is(accepted.filter(({ type }) => type === 'RenderFailed').length, last === 'failed' ? 1 : 0);
  t.is(accepted.at(-1)?.transition?.to, last);

  const wanted = [...statuses.map((status) => `render.status_changed ${status}`), `render.${last} ${last}`];
  const deliveries = await deliveriesOf(service, id, wanted.length);
  t.deepEqual(deliveries.map(({ event, status }) => `${event} ${status}`).toSorted(), wanted.toSorted());
  t.true(deliveries.every(({ verified }) => verified));
};
