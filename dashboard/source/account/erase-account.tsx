import { api, taken } from '../api/client.ts';
import { EraseForGood } from '../session/erase-for-good.tsx';
import type { Me } from '../session/me.ts';
import { canBeTyped } from '../shown/typed-name.ts';

/** For owners: the end of the account. */
export const EraseAccount = ({ account }: { readonly account: Me['accounts'][number] }) => {
  const { id: account_id, name } = account;
  const is_by_name = canBeTyped(name);
  const body = is_by_name ? { name } : { account_id };
  return (
    <EraseForGood
      label="Erase the account"
      what="With all of its projects, renders and videos, its keys, endpoints and teams. Nothing brings it back."
      why="An account is erased only by an owner who has just signed in."
      title="Erase this account for good?"
      goes="Its keys are refused within a second. All of its projects are deleted, and every render with its videos: those that are under way when they have ended. Its endpoints and invitations go, and nobody is of it any more. Nothing brings it back."
      stays="What stays: its people, who may be of other accounts; what it was granted and has cost, for operators; and in the log who did what, its name, those of its teams and keys, and URLs of its endpoints."
      typed={is_by_name ? { what: 'the name of the account', text: name } : { what: 'its id', text: account_id }}
      erase={() =>
        taken(api.POST('/manage/v1/accounts/{account_id}/erase', { params: { path: { account_id } }, body }))
      }
    />
  );
};
