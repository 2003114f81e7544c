import { Argument, type Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { InvitationView } from '../../catalogue/answers.ts';
import {
  createInvitation,
  type IssuedInvitation,
  listInvitations,
  revokeInvitation,
} from '../../catalogue/invitations.ts';
import type { InvitationRole } from '../../domain/catalogue/events.ts';
import { tableText, timeText } from '../table.ts';
import {
  addCommand,
  addCommandGroup,
  type CommandContext,
  changeOutputOf,
  commandOutputOf,
  type JsonOption,
  runCommand,
} from './command.ts';

const stateOf = ({ revoked_at, accepted_at, accepted_by, expires_at }: InvitationView): string => {
  if (accepted_at !== null) return `accepted ${timeText(accepted_at)} by ${accepted_by}`;
  if (revoked_at !== null) return `revoked ${timeText(revoked_at)}`;
  return `${expires_at <= Date.now() ? 'expired' : 'open until'} ${timeText(expires_at)}`;
};

const invitationsText = (invitations: readonly InvitationView[]): string =>
  tableText(
    ['id', 'account', 'team', 'role', 'invited by', 'state'],
    invitations.map((one) => [one.id, one.account_id, one.team_id, one.role, one.invited_by, stateOf(one)]),
  );
const invitationText = (invitation: InvitationView): string => invitationsText([invitation]);

const issuedText = ({ token, ...invitation }: IssuedInvitation): string =>
  `${token}\n\nThis is the token. Copy it now: it is not stored and cannot be shown again. The first person who uses it gets the role.\n\n${invitationText(invitation)}`;

const ROLES: readonly InvitationRole[] = ['owner', 'admin', 'member'];

type CreateOptions = JsonOption & { account: string; team?: string; role: InvitationRole };

export const invitationCommands = (program: Command, context: CommandContext): void => {
  const invitations = addCommandGroup(program, 'invitation', 'invitations to become an owner or a member');

  addCommand(invitations, 'create', 'invite a person for up to 7 days; the token is shown once', [
    'invitation create --account acc_01JD… --role owner',
    'invitation create --account acc_01JD… --team team_01JD… --role admin',
  ])
    .requiredOption('--account <account>', 'the account')
    .option('--team <team>', 'a team of that account; not for an owner')
    .addOption(new Option('--role <role>', 'the role of the person who accepts it').choices(ROLES).default('member'))
    .action(({ account, team, role, json }: CreateOptions) => {
      const wanted = { account_id: account, team_id: team ?? null, role };
      const create = context.connection.catalogue((catalogue) => createInvitation(catalogue, wanted));
      return runCommand(context, json, commandOutputOf(create, issuedText));
    });

  addCommand(invitations, 'list', 'list the open invitations of an account', ['invitation list --account acc_01JD…'])
    .requiredOption('--account <account>', 'the account')
    .action(({ account, json }: JsonOption & { account: string }) => {
      const list = context.connection.view(async (view) =>
        E.map((data: readonly InvitationView[]) => ({ data }))(await listInvitations(view, account, Date.now())),
      );
      return runCommand(
        context,
        json,
        commandOutputOf(list, ({ data }) => invitationsText(data)),
      );
    });

  addCommand(invitations, 'revoke', 'revoke an invitation', ['invitation revoke inv_01JD…'])
    .addArgument(new Argument('<invitation>', 'the id of the invitation'))
    .action((id: string, { json }: JsonOption) => {
      const revoke = context.connection.catalogue((catalogue) => revokeInvitation(catalogue, id));
      return runCommand(context, json, changeOutputOf(revoke, invitationText));
    });
};
