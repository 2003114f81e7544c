import test from 'ava';
import { codeText } from '../../../dashboard/source/renders/failure-text.ts';
import { stateWord } from '../../../dashboard/source/renders/state-word.ts';

test('a cancelled render is shown as cancelled, not as failed', (t) => {
  t.is(stateWord({ status: 'failed', failed_as: 'cancelled' }), 'cancelled');
  t.is(stateWord({ status: 'failed', failed_as: 'no_glyph' }), 'failed');
  t.is(stateWord({ status: 'complete', failed_as: null }), 'complete');
});

test('codes are shown in words', (t) => {
  t.is(codeText('media_name_not_found'), 'Address not reached: unknown host');
  t.is(codeText('text_too_long'), 'Text too long');
});
