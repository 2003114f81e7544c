import test from 'ava';
import { failureText, failureTitle } from '../../../dashboard/source/renders/failure-text.ts';

const failed = (code: string, message: string, field?: string) => ({
  code,
  message,
  ...(field !== undefined && { field }),
});

test('a file that could not be fetched names its field and the reason', (t) => {
  const failure = failed(
    'media_name_not_found',
    'values.logo: could not be fetched. The host name does not exist.',
    'values.logo',
  );
  t.is(failureText(failure), 'Logo: its address could not be reached (unknown host).');
  t.is(
    failureText({ ...failure, field: 'values.product_shot', code: 'media_timeout' }),
    'Product shot: its address could not be reached (timed out).',
  );
  t.is(
    failureText(failure, new Map([['logo', 'Your logo']])),
    'Your logo: its address could not be reached (unknown host).',
  );
});

test('other failures keep the message of the service, after the label', (t) => {
  t.is(failureText(failed('text_too_long', 'values.title: is too long', 'values.title')), 'Title: is too long.');
  t.is(failureText(failed('internal_error', 'an internal error.')), 'An internal error.');
  t.is(
    failureText(failed('unreadable_media', 'the file is damaged', 'assets.intro-2')),
    'Assets intro 2: the file is damaged.',
  );
});

test('a cancelled render says that it costs nothing', (t) => {
  const cancelled = failed('cancelled', 'the render was cancelled');
  t.is(`${failureTitle(cancelled)} ${failureText(cancelled)}`, 'Cancelled. No credits charged.');
  t.is(failureTitle(failed('no_glyph', 'x')), 'This render failed.');
});
