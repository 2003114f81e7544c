import { api, unwrapAnswer } from '../api/client.ts';
import type { Me } from '../session/me.ts';
import { PermanentErasure } from '../session/permanent-erasure.tsx';
import { isTypeable } from '../shown/typed-name.ts';

export const EraseAccount = ({ account }: { readonly account: Me['accounts'][number] }) => {
  const { id: account_id, name } = account;
  const is_by_name = isTypeable(name);
  const body = is_by_name ? { name } : { account_id };
  return (
    <PermanentErasure
      label="Erase account"
      what="This erases the account with all of its projects, renders, videos, keys, endpoints and teams. You cannot undo it."
      why="Sign in again to erase this account."
      title="Erase this account permanently?"
      goes="Its keys stop working within a second. All of its projects, renders and videos are deleted; running renders are deleted when they end. Its endpoints and invitations are deleted, and all of its members lose access. You cannot undo this."
      stays="The service keeps its users, who can belong to other accounts; its credits and charges, which operators can see; and the event log, with who did what, the names of the account, its teams and its keys, and the URLs of its endpoints."
      typed={is_by_name ? { what: 'the name of the account', text: name } : { what: 'its ID', text: account_id }}
      erase={() =>
        unwrapAnswer(api.POST('/manage/v1/accounts/{account_id}/erase', { params: { path: { account_id } }, body }))
      }
    />
  );
};
