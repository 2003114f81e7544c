import { EmptyList } from '../shown/empty.tsx';
import { Page } from '../shown/page.tsx';

export const NoTeamPage = () => (
  <Page title="Welcome">
    <EmptyList title="You are not in a team yet">
      Ask an admin of your team for an invitation and open its link in this browser. The link works once and expires in
      7 days.
    </EmptyList>
  </Page>
);
