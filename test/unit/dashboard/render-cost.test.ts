import test from 'ava';
import { costOf, costText } from '../../../dashboard/source/renders/cost.ts';

test('a render again costs what the earlier one cost', (t) => {
  const { credits } = costOf({ charged_credits: 10, reserved_credits: 0, project_version: 3 });
  t.is(costText({ price: credits, asked_draft: false, draft: false }), 'Costs 10 credits.');
  t.is(costText({ price: 1, asked_draft: true, draft: true }), 'Costs 1 credit.');
});

test('an unknown price is not shown', (t) => {
  const { credits } = costOf({ charged_credits: 0, reserved_credits: 0, project_version: 3 });
  t.is(costText({ price: credits, asked_draft: false, draft: false }), '');
  t.is(costText({ price: 10, asked_draft: false, draft: true }), 'A draft costs less.');
  t.is(costText({ price: 10, asked_draft: true, draft: false }), 'Costs more than the draft.');
});
