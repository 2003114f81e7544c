import test, { type ExecutionContext } from 'ava';
import { mintPrivateKey, openingKey, publicKeyText } from '../../../platform/secrets/key-pair.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { webhookEndpoints } from '../../../stack/testing/webhook-endpoints.ts';
import { caller } from '../../helpers/renderctl.ts';
import { assertDelivered, type Target } from './_delivered.ts';
import { startRelayProcess } from './_relay-process.ts';
import { live, type RelayWorld, startRelayWorld, teamWithEndpoint } from './_relay-world.ts';
import { isStandard } from './_verified.ts';

let world: RelayWorld;

test.before(async (t) => {
  t.timeout(360_000);
  world = await startRelayWorld({}, ['projectors']);
});
test.after.always(() => world?.stop());

/** The commands of an operator whose renderctl has only these keys of webhook secrets. */
const sealing = (keys: Readonly<Record<string, string>>) => webhookEndpoints(world.clients.records, keys);

const pairOf = (private_key: string) => {
  const key = openingKey(private_key);
  if (key === undefined) throw new Error('no key');
  return { id: key.id, private_key, sealing: sealing({ WEBHOOK_PUBLIC_KEY: publicKeyText(key) }) };
};

const assertSigned = (t: ExecutionContext, { id, path, secret }: Target): void => {
  const received = world.receiver.receivedAt(path);
  t.true(received.length > 0 && received.every((one) => isStandard(one, secret)), id);
};

test.serial('a rotation of key pairs delays only endpoints whose key is missing', async (t) => {
  t.timeout(360_000);
  const { WEBHOOK_SECRETS_KEY = '' } = world.stack.env;
  const [before, next] = [pairOf(mintPrivateKey()), pairOf(mintPrivateKey())];
  const withKeys = (keys: Readonly<Record<string, string>>) =>
    startRelayProcess({ ...world.stack.env, WEBHOOK_SECRETS_KEY: '', WEBHOOK_PRIVATE_KEYS: '', ...keys });
  const arrives = async (endpoints: readonly Target[], renders: readonly string[]): Promise<void> => {
    await assertDelivered(t, world, endpoints, renders, 60_000);
    for (const endpoint of endpoints) assertSigned(t, endpoint);
  };

  // A deployment that gets its first key pair has secrets of both formats.
  const of_v1 = await teamWithEndpoint({ ...world, endpoints: sealing({ WEBHOOK_SECRETS_KEY }) });
  const first = await withKeys({ WEBHOOK_SECRETS_KEY, WEBHOOK_PRIVATE_KEYS: before.private_key });
  t.teardown(() => first.kill());
  const of_before = await teamWithEndpoint({ ...world, endpoints: before.sealing });
  await arrives([of_v1], [await live(world.clients, of_v1.team_id)]);
  await arrives([of_before], [await live(world.clients, of_before.team_id)]);

  // A secret is sealed for the next key too early, while the relay lacks that key: only this endpoint waits.
  const of_next = await teamWithEndpoint({ ...world, endpoints: next.sealing });
  const waiting = await live(world.clients, of_next.team_id);
  await pollUntil('the relay names the missing key', async () => {
    const told = await first.readiness();
    return told.includes(of_next.id) && told.includes(`sealed to the key ${next.id}`);
  });
  await arrives([of_before], [await live(world.clients, of_before.team_id)]);
  t.is(world.receiver.receivedAt(of_next.path).length, 0);
  t.is(await first.end(), 0);

  // The rotation starts, and the relay has both keys: no delivery was lost.
  const both = `${next.private_key},${before.private_key}`;
  const second = await withKeys({ WEBHOOK_SECRETS_KEY, WEBHOOK_PRIVATE_KEYS: both });
  t.teardown(() => second.kill());
  await arrives([of_next], [waiting]);
  const [again_v1, again_before] = [
    await live(world.clients, of_v1.team_id),
    await live(world.clients, of_before.team_id),
  ];
  await arrives([of_v1], [again_v1]);
  await arrives([of_before], [again_before]);

  // A rotation of an endpoint's secret seals it for the next key, so the old key can be removed.
  const secret = await next.sealing.rotate(of_before.id);
  const activated = await caller(world.stack.env)('webhook', 'activate-secret', of_before.id, '--json');
  t.deepEqual(JSON.parse(activated.stdout).sealed_to, [next.id], activated.stderr);
  t.is(await second.end(), 0);
  const third = await withKeys({ WEBHOOK_PRIVATE_KEYS: next.private_key });
  t.teardown(() => third.kill());
  const seen = world.receiver.receivedAt(of_before.path).length;
  await assertDelivered(t, world, [of_before], [await live(world.clients, of_before.team_id)], 60_000);
  t.true(
    world.receiver
      .receivedAt(of_before.path)
      .slice(seen)
      .every((one) => isStandard(one, secret)),
  );
  t.is(await third.end(), 0);
});
