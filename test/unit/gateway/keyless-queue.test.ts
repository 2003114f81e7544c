import test from 'ava';
import { KeylessQueue } from '../../../gateway/keyless-queue.ts';

const turn = () => new Promise(setImmediate);

test('each turn of the event loop handles one request, and addresses take turns', async (t) => {
  const queue = new KeylessQueue();
  const handled: string[] = [];
  for (const name of ['a1', 'a2', 'a3']) queue.add('a', () => handled.push(name));
  queue.add('b', () => handled.push('b1'));
  t.deepEqual(handled, []);
  for (const [i, name] of ['a1', 'b1', 'a2', 'a3'].entries()) {
    await turn();
    t.deepEqual(handled.slice(i), [name]);
  }
  queue.add('a', () => handled.push('a4'));
  await turn();
  t.is(handled.at(-1), 'a4', 'the queue continues after it was empty');
});
