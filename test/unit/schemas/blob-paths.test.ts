import test from 'ava';
import { keyTreeAt, keyTreePath } from '../../../schemas/blobs/paths.ts';

const TREE = '01JD0000000000000000000000';

test('a key tree has a path in its account, from which its names follow', (t) => {
  const path = keyTreePath('acc_1', TREE);
  t.is(path, `accounts/acc_1/keys/${TREE}`);
  t.deepEqual(keyTreeAt(path ?? ''), { account_id: 'acc_1', tree: TREE });
});

test('names of key trees that could point elsewhere have no path', (t) => {
  for (const tree of ['', '..', `../../acc_2/keys/${TREE}`, `${TREE}/`, `${TREE}\n`, TREE.toLowerCase(), `${TREE}0`])
    t.is(keyTreePath('acc_1', tree), null, tree);
  for (const account_id of ['', '.', '..', 'acc_1/keys', 'a/../b']) t.is(keyTreePath(account_id, TREE), null);
  for (const path of [
    `accounts/acc_1/segments/${TREE}`,
    `accounts/acc_1/keys/x/${TREE}`,
    `x/accounts/acc_1/keys/${TREE}`,
  ])
    t.is(keyTreeAt(path), null, path);
});
