import test from 'ava';
import { keptCopiesTexts } from '../../../cli/commands/status-command.ts';

test('status tells how long Blob keeps copies of erased texts', (t) => {
  t.deepEqual(keptCopiesTexts({ soft_delete_days: null, has_versions: false }), []);
  const [deleted, ...none] = keptCopiesTexts({ soft_delete_days: 7, has_versions: false });
  t.regex(deleted ?? '', /deleted blobs for 7 days/);
  t.is(none.length, 0);
  t.regex(keptCopiesTexts({ soft_delete_days: null, has_versions: true }).join(), /old versions of blobs/);
  t.regex(keptCopiesTexts(null).join(), /could not be read/);
});
