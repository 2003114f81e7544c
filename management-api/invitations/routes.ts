import type { Route, RouteGuards } from '../access/route-guards.ts';
import { type Accepting, acceptInvitationOf } from './accept-invitation.ts';

export const invitationRoutes = (guards: RouteGuards, accepting: Accepting): readonly Route[] => [
  guards.forSignedIn('POST', '/manage/v1/invitations/accept', acceptInvitationOf(accepting)),
];
