import { api, taken } from '../api/client.ts';
import { EraseForGood } from './erase-for-good.tsx';

export const EraseOneself = ({ user_id }: { readonly user_id: string }) => (
  <EraseForGood
    label="Erase yourself"
    what="Your address, roles, keys and sessions, in every account. Nothing brings you back."
    why="Only who has just signed in may erase themselves."
    title="Erase yourself for good?"
    goes="Your sessions and personal keys are refused within a second. Your address is deleted, and your roles, your keys and the link to whom you sign in as are taken away, in every account. Nothing brings you back: who is invited again becomes another user."
    stays="What stays: your id, where it says who made or changed what; projects and renders that you have made, as they are their teams'; and service keys that you have seen."
    typed={{ what: 'your user id', text: user_id }}
    erase={() => taken(api.POST('/manage/v1/me/erase', { body: { user_id } }))}
  />
);
