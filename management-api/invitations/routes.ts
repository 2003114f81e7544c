import type { Doors, Route } from '../access/doors.ts';
import { type Accepting, acceptInvitationOf } from './accept-invitation.ts';

export const invitationRoutes = (doors: Doors, accepting: Accepting): readonly Route[] => [
  doors.forSignedIn('POST', '/manage/v1/invitations/accept', acceptInvitationOf(accepting)),
];
