import test from 'ava';
import { messageText } from '../../../dashboard/source/shown/message-text.ts';

test('a refusal is a sentence that names its input', (t) => {
  t.is(messageText('url: must begin with https://'), 'The URL must begin with https://.');
  t.is(messageText('url: 10.0.0.1 is a private address'), '10.0.0.1 is a private address.');
  t.is(messageText('there is no such team'), 'There is no such team.');
  t.is(messageText('Try again.'), 'Try again.');
});

test('an unknown member stays as the service wrote it', (t) => {
  t.is(messageText('constructor: must be a word'), 'Constructor: must be a word.');
});
