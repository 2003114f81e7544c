import { api, unwrapAnswer } from '../api/client.ts';
import { PermanentErasure } from './permanent-erasure.tsx';

export const EraseOwnUser = ({ user_id }: { readonly user_id: string }) => (
  <PermanentErasure
    label="Erase your user"
    what="This erases your name, email address, roles, keys and sessions in every account. You cannot undo it."
    why="Sign in again to erase your user."
    title="Erase your user permanently?"
    goes="Your sessions and personal keys stop working within a second. Your name, your email address, your roles, your keys and the link to your identity provider are deleted in every account. If you are invited again, you become a new user. You cannot undo this."
    stays="The service keeps your user ID in the event log, the projects and renders that you created, which belong to their teams, and the service keys that you created."
    typed={{ what: 'your user ID', text: user_id }}
    erase={() => unwrapAnswer(api.POST('/manage/v1/me/erase', { body: { user_id } }))}
  />
);
