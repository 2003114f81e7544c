import test from 'ava';
import {
  creditItems,
  endpointItems,
  failedItems,
  invitationItems,
  keyItems,
} from '../../../dashboard/source/overview/attention-items.ts';

const HOUR_MS = 3_600_000;
const NOW = 1_763_740_800_000;

const textsOf = (items: readonly { readonly text: string }[]): readonly string[] => items.map(({ text }) => text);

test('failing endpoints need attention, unless a person disabled them', (t) => {
  const endpoint = { id: 'whe_1', url: 'https://hooks.example.com/renders', disabled: null, failing: null };
  const items = endpointItems(
    'team_1',
    [
      endpoint,
      { ...endpoint, disabled: { since: NOW, reason: 'by_hand' } },
      { ...endpoint, disabled: { since: NOW, reason: 'gone' } },
      { ...endpoint, failing: { since: NOW - 2 * HOUR_MS, exhausted: 3 } },
    ],
    NOW,
  );
  t.deepEqual(textsOf(items), [
    'The endpoint at hooks.example.com is disabled: it returned status 410.',
    'The endpoint at hooks.example.com is failing: 3 deliveries failed, the first 2 h ago.',
  ]);
  t.is(items[0]?.to, '/teams/team_1/webhooks/whe_1');
});

test('one failed render is named, several are counted', (t) => {
  const render = (id: string) => ({ id, name: 'Winter sale', failed_as: 'media_name_not_found' });
  const [one] = failedItems('team_1', [render('a')], false, '/list');
  t.like(one, { text: '“Winter sale” failed. Address not reached: unknown host.', to: '/teams/team_1/renders/a' });
  const [two] = failedItems('team_1', [render('a'), render('b')], false, '/list');
  t.like(two, { text: '2 renders failed in the last 24 hours.', to: '/list' });
  const [more] = failedItems('team_1', [render('a')], true, '/list');
  t.like(more, { text: 'More than 1 renders failed in the last 24 hours.' });
  t.deepEqual(failedItems('team_1', [], false, '/list'), []);
});

test('active keys that expire within a week are listed, the soonest first', (t) => {
  const key = { id: 'key_1', name: 'shop', state: 'active', replaced_by: null, last_used_at: null } as const;
  const items = keyItems(
    'team_1',
    [
      { ...key, expires_at: NOW + 72 * HOUR_MS },
      { ...key, expires_at: NOW + 2 * HOUR_MS, replaced_by: 'key_2', last_used_at: NOW - 60_000 },
      { ...key, expires_at: NOW + 200 * HOUR_MS },
      { ...key, expires_at: NOW - HOUR_MS },
      { ...key, expires_at: null },
      { ...key, expires_at: NOW + HOUR_MS, state: 'revoked' },
    ],
    NOW,
  );
  t.deepEqual(textsOf(items), [
    'The rotated key “shop” stops working in 2 h. Last used 1 min ago.',
    'The key “shop” expires in 3 days. It was never used.',
  ]);
});

test('credits need attention when a week like the last one would use them up', (t) => {
  const items = (balance: number | null, used: number) =>
    textsOf(creditItems({ unlimited: balance === null, balance }, used, '/accounts/acc_1'));
  t.deepEqual(items(null, 500), []);
  t.deepEqual(items(500, 500), []);
  t.deepEqual(items(1, 500), ['1 credit left. The team used 500 credits in the last 7 days.']);
  t.deepEqual(items(0, 0), ['No credits left. New renders are refused.']);
});

test('open invitations are counted, expired ones are not', (t) => {
  const items = (...left: readonly number[]) =>
    textsOf(
      invitationItems(
        'team_1',
        left.map((hours) => ({ expires_at: NOW + hours * HOUR_MS })),
        NOW,
      ),
    );
  t.deepEqual(items(-1), []);
  t.deepEqual(items(-1, 5), ['1 invitation is not accepted yet. It expires in 5 h.']);
  t.deepEqual(items(30, 5), ['2 invitations are not accepted yet. The first expires in 5 h.']);
});
