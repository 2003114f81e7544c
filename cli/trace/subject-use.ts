import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { openAudit } from '../../read-models/audit/audit.ts';
import { openDeliveryLog } from '../../read-models/deliveries/delivery-log.ts';
import type { TracedPlace } from './causes.ts';
import type { TracedDelivery } from './deliveries.ts';
import type { Subject } from './subject.ts';

export type UsedRender = TracedPlace & { readonly render_id: string; readonly project_id: string; readonly at: number };

/** The newest uses in the store, and whether there are older ones. */
export type SubjectUse = {
  /** Null for subjects that are not a key or a user, and while the audit is rebuilt after an upgrade. */
  readonly renders: { readonly newest: readonly UsedRender[]; readonly more: boolean } | null;
  /** Null for subjects that are not an endpoint. Limited to deliveries that the store still has. */
  readonly deliveries: { readonly newest: readonly TracedDelivery[]; readonly more: boolean } | null;
};

const NEWEST = 50;

const rendersOf = async (db: ReadStore['db'], actor: string): Promise<SubjectUse['renders']> => {
  const audit = openAudit(db);
  if (!(await audit.isFolded())) return null;
  const query = { scope: { tag: 'all' }, actor, kind: 'RenderRequested', with_requests: true } as const;
  const { entries, next } = await audit.page({ ...query, since: null, until: null }, null, NEWEST);
  const newest = entries.map(({ topic, partition, offset, at, ids: { render_id, project_id } }) => ({
    ...{ render_id: String(render_id), project_id: String(project_id), at, topic, partition, offset },
  }));
  return { newest, more: next !== null };
};

const deliveriesOf = async (db: ReadStore['db'], id: string, now: () => number): Promise<SubjectUse['deliveries']> => {
  const query = { state: null, since: null, event: null, before: null, limit: NEWEST + 1 };
  const found = await openDeliveryLog(db, now).ofEndpoint(id, query);
  const newest = found.slice(0, NEWEST).map((delivery): TracedDelivery => {
    const { _id: delivery_id, endpoint_id, render_id, event, state, reason, repeats, planned_at, ended_at } = delivery;
    const attempts = delivery.attempts.map(({ n, started_at, duration_ms, status, fault }) => ({
      ...{ n, started_at, duration_ms, status, fault: fault?.code ?? null },
    }));
    return {
      delivery_id,
      endpoint_id,
      render_id,
      event,
      stage: state,
      reason,
      repeats,
      planned_at,
      ended_at,
      attempts,
    };
  });
  return { newest, more: found.length > NEWEST };
};

export const readSubjectUse = async (
  db: ReadStore['db'],
  { id, kind }: Subject,
  now: () => number,
): Promise<SubjectUse> => ({
  renders: kind === 'key' || kind === 'user' ? await rendersOf(db, `${kind}:${id}`) : null,
  deliveries: kind === 'endpoint' ? await deliveriesOf(db, id, now) : null,
});
