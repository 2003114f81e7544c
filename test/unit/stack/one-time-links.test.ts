import test from 'ava';
import { LINK_MINUTES, oneTimeLinks } from '../../../stack/provider/one-time-links.ts';

test('a sign-in link works once, only for its user', (t) => {
  const links = oneTimeLinks(() => 0);
  const [token, other] = [links.make('ada'), links.make('olga')];
  t.regex(token, /^[\w-]{43}$/);
  t.not(token, other);
  for (let looks = 0; looks < 3; looks += 1) t.is(links.standing(token), 'open');
  t.is(links.take(token), 'ada');
  t.is(links.take(token), null);
  t.is(links.standing(token), 'used');
  t.is(links.take(other), 'olga', 'links differ');
});

test('an unused sign-in link expires, and its state differs from a used one', (t) => {
  let now = 0;
  const links = oneTimeLinks(() => now);
  const [used, unused] = [links.make('ada'), links.make('ada')];
  now = LINK_MINUTES * 60_000 - 1;
  t.is(links.take(used), 'ada');
  t.is(links.standing(unused), 'open');
  now += 1;
  t.is(links.take(unused), null);
  t.deepEqual([links.standing(used), links.standing(unused), links.standing('no token')], ['used', 'over', 'over']);
});

test('above the limit of sign-in links, the oldest ones expire', (t) => {
  const links = oneTimeLinks(() => 0);
  const tokens = Array.from({ length: 65 }, () => links.make('ada'));
  t.deepEqual(
    tokens.filter((token) => links.standing(token) !== 'open'),
    tokens.slice(0, 1),
  );
});
