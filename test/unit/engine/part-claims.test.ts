import test from 'ava';
import { openPartClaims } from '../../../engine/render/part-claims.ts';

test('the last claim on a part is valid until the claiming render ends', (t) => {
  const claims = openPartClaims();
  const [one, two] = [claims.join('acc_a'), claims.join('acc_a')];
  one.claim(['a', 'b']);
  t.is(one.claimOfAnother('a'), null, "the render's own claim");
  t.is(two.claimOfAnother('a'), two.claimOfAnother('b'), 'one claim');
  t.not(two.claimOfAnother('a'), null);
  one.claim(['c']);
  t.not(two.claimOfAnother('c'), two.claimOfAnother('a'), 'two runs of one render are two claims');
  two.claim(['b']);
  t.is(two.claimOfAnother('b'), null);
  t.not(one.claimOfAnother('b'), null);
  one.leave();
  t.is(two.claimOfAnother('a'), null);
  t.is(one.claimOfAnother('b'), null, 'it shares nothing after it left');
  one.claim(['b', 'd']);
  t.is(two.claimOfAnother('d'), null);
  two.leave();
  t.is(claims.join('acc_a').claimOfAnother('b'), null);
});

test("a stored part is announced to the account's other renders only, at any time", (t) => {
  const claims = openPartClaims();
  const [one, two, other] = [claims.join('acc_a'), claims.join('acc_a'), claims.join('acc_b')];
  const heard: string[] = [];
  two.onStored(() => heard.push('two'));
  one.onStored(() => heard.push('one'));
  other.onStored(() => heard.push('other'));
  const endListening = two.onStored(() => heard.push('ended'));
  endListening();
  one.claim(['a']);
  one.stored('a');
  t.deepEqual(heard, ['two']);
  t.true(two.isStored('a'));
  t.false(one.isStored('a'), 'the render has that part');
  t.false(other.isStored('a'));
  t.is(other.claimOfAnother('a'), null);
  one.leave();
  one.stored('b');
  t.true(two.isStored('b'));
  t.false(claims.join('acc_a').isStored('a'), 'a render that joins later asks the cache');
});
