import { outputDeletions } from '../../../../read-models/retention/output-deletions.ts';
import { caller } from '../../../helpers/renderctl.ts';
import { test } from './_stack-in-common.ts';

test.serial('an operator sees a held deletion and approves it as shown', async (t) => {
  t.timeout(240_000);
  const { stack, clients } = t.context;
  const renderctl = caller(stack.env);
  t.is((await renderctl('retention', 'list')).stdout, 'No deletions need approval.\n');
  const unknown = await renderctl('retention', 'approve', 'acc_kept');
  t.is(unknown.exit_code, 1);
  t.regex(unknown.stderr, /acc_kept/);

  const deletions = outputDeletions(clients.store.db);
  const alarm = { until: 1_767_225_600_000, renders: 930, of: 1_009, at: Date.now() };
  await deletions.save('acc_kept', { until: 5, alarm });
  const listed = await renderctl('retention', 'list', '--json');
  t.deepEqual(JSON.parse(listed.stdout), { data: [{ account_id: 'acc_kept', ...alarm }] });
  t.regex((await renderctl('retention', 'list')).stdout, /acc_kept.*930.*1009.*2026-01-01/);
  const approved = await renderctl('retention', 'approve', 'acc_kept');
  t.is(approved.exit_code, 0, approved.stderr);
  t.regex(approved.stdout, /930 renders that ended by 2026-01-01/);
  t.like(await deletions.load('acc_kept'), { until: alarm.until, alarm: null });
  t.is((await renderctl('retention', 'approve', 'acc_kept')).exit_code, 1);
});
