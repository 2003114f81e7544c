import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { Readiness } from '../../platform/process/readiness.ts';
import type { HeldDeletion } from '../../read-models/retention/output-deletions.ts';

export const watchAlarms = (
  heldDeletions: () => Promise<readonly HeldDeletion[]>,
  metrics: Metrics,
  readiness: Pick<Readiness, 'check'>,
): void => {
  sampledGauge(
    metrics,
    'retention_held_accounts',
    'Accounts whose outputs are not deleted until an operator approves it',
    [],
    async () => [{ labels: {}, value: (await heldDeletions()).length }],
  );
  readiness.check('deletions', async () => {
    const { length } = await heldDeletions();
    return length === 0
      ? null
      : `outputs of ${length} account${length === 1 ? '' : 's'} are kept: a large share of them would be deleted at once. See "renderctl retention list".`;
  });
};
