import { api, unwrapAnswer } from '../api/client.ts';
import { useAccount, useMe, useTeam } from '../session/me.ts';
import { Page } from '../shown/page.tsx';
import { AuditList } from './audit-list.tsx';
import { useElementNames } from './element-names.ts';

export const TeamAuditPage = ({ team_id }: { readonly team_id: string }) => {
  const team = useTeam(team_id);
  return (
    <Page
      title="Audit"
      about={`Changes in ${team?.name ?? 'the team'}, who made them, and their records in the event log.`}
    >
      <AuditList
        of={team_id}
        names={useElementNames([team_id])}
        read={(query) =>
          unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/audit', { params: { path: { team_id }, query } }))
        }
      />
    </Page>
  );
};

export const AccountAuditPage = ({ account_id }: { readonly account_id: string }) => {
  const account = useAccount(account_id);
  const { teams } = useMe();
  return (
    <Page
      title="Account audit"
      about={`Changes in ${account?.name ?? 'the account'} and its teams, who made them, and their records in the event log.`}
    >
      <AuditList
        of={account_id}
        names={useElementNames(teams.filter((team) => team.account_id === account_id).map(({ id }) => id))}
        read={(query) =>
          unwrapAnswer(api.GET('/manage/v1/accounts/{account_id}/audit', { params: { path: { account_id }, query } }))
        }
      />
    </Page>
  );
};
