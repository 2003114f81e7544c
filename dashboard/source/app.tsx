import { Center, Loader, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { AccountPage } from './account/account-page.tsx';
import { AccountAuditPage, TeamAuditPage } from './audit/audit-pages.tsx';
import { KeysPage } from './keys/keys-page.tsx';
import { NewVideoPage } from './new-video/new-video-page.tsx';
import { OperatorsPage } from './operators/operators-page.tsx';
import { AccountOverviewPage } from './overview/account-overview-page.tsx';
import { TeamOverviewPage } from './overview/team-overview-page.tsx';
import { NewProjectPage } from './projects/new-project/new-project-page.tsx';
import { ProjectPage } from './projects/project-page.tsx';
import { ProjectsPage } from './projects/projects-page.tsx';
import { RenderPage } from './renders/render-page.tsx';
import { RendersPage } from './renders/renders-page.tsx';
import { PersonBoundary } from './session/arrival.tsx';
import { InvitationPage } from './session/invitation-page.tsx';
import { MeProvider, useSignedIn } from './session/me.ts';
import { SessionsPage } from './session/sessions-page.tsx';
import { SignInPage } from './session/sign-in-page.tsx';
import { NoTeamPage } from './shell/no-team-page.tsx';
import { Shell } from './shell/shell.tsx';
import { LoadingState } from './shown/loaded.tsx';
import { Page } from './shown/page.tsx';
import { TeamPage } from './team/team-page.tsx';
import { UsagePage } from './usage/usage-page.tsx';
import { DeliveryPage } from './webhooks/delivery-page.tsx';
import { EndpointPage } from './webhooks/endpoint-page.tsx';
import { EndpointsPage } from './webhooks/endpoints-page.tsx';

const SheetPage = lazy(() => import('./sheet/sheet-page.tsx'));

export const App = () => {
  const { data: me, error, refetch } = useSignedIn();
  if (me === undefined)
    return (
      <Center mih="100vh" component="main" p="md">
        <LoadingState error={error} retry={refetch} />
      </Center>
    );
  if (me === null) return <SignInPage />;
  const [first] = me.teams;
  return (
    // The key discards all page state when another person signs in.
    <MeProvider key={me.person} value={me}>
      <PersonBoundary>
        <Shell>
          <Switch>
            <Route path="/">
              {first !== undefined ? (
                <Redirect to={`/teams/${first.id}/overview`} replace />
              ) : me.is_operator ? (
                <Redirect to="/operators" replace />
              ) : (
                <NoTeamPage />
              )}
            </Route>
            <Route path="/teams/:team/overview">{({ team }) => <TeamOverviewPage key={team} team_id={team} />}</Route>
            <Route path="/teams/:team/projects">{({ team }) => <ProjectsPage key={team} team_id={team} />}</Route>
            <Route path="/teams/:team/projects/new">{({ team }) => <NewProjectPage key={team} team_id={team} />}</Route>
            <Route path="/teams/:team/projects/:project">
              {({ team, project }) => <ProjectPage key={project} team_id={team} project_id={project} />}
            </Route>
            <Route path="/teams/:team/projects/:project/new-video">
              {({ team, project }) => <NewVideoPage key={project} team_id={team} project_id={project} />}
            </Route>
            <Route path="/teams/:team/projects/:project/sheet">
              {({ team, project }) => (
                <Suspense fallback={<Loader aria-label="Loading" />}>
                  <SheetPage key={project} team_id={team} project_id={project} />
                </Suspense>
              )}
            </Route>
            <Route path="/teams/:team/audit">{({ team }) => <TeamAuditPage key={team} team_id={team} />}</Route>
            <Route path="/teams/:team/renders">{({ team }) => <RendersPage key={team} team_id={team} />}</Route>
            <Route path="/teams/:team/renders/:render">
              {({ team, render }) => <RenderPage key={render} team_id={team} render_id={render} />}
            </Route>
            <Route path="/teams/:team/keys">{({ team }) => <KeysPage key={team} team_id={team} />}</Route>
            <Route path="/teams/:team/webhooks">{({ team }) => <EndpointsPage key={team} team_id={team} />}</Route>
            <Route path="/teams/:team/webhooks/:endpoint">
              {({ team, endpoint }) => <EndpointPage key={endpoint} team_id={team} endpoint_id={endpoint} />}
            </Route>
            <Route path="/teams/:team/deliveries/:delivery">
              {({ team, delivery }) => <DeliveryPage key={delivery} team_id={team} delivery_id={delivery} />}
            </Route>
            <Route path="/teams/:team/people">{({ team }) => <TeamPage key={team} team_id={team} />}</Route>
            <Route path="/accounts/:account">
              {({ account }) => <AccountPage key={account} account_id={account} />}
            </Route>
            <Route path="/accounts/:account/overview">
              {({ account }) => <AccountOverviewPage key={account} account_id={account} />}
            </Route>
            <Route path="/accounts/:account/usage">
              {({ account }) => <UsagePage key={account} account_id={account} />}
            </Route>
            <Route path="/accounts/:account/audit">
              {({ account }) => <AccountAuditPage key={account} account_id={account} />}
            </Route>
            <Route path="/sessions">
              <SessionsPage />
            </Route>
            <Route path="/invitation">
              <InvitationPage />
            </Route>
            <Route path="/operators">
              <OperatorsPage />
            </Route>
            <Route>
              <Page title="Page not found">
                <Text>Check the address. The page may have been moved or deleted.</Text>
              </Page>
            </Route>
          </Switch>
        </Shell>
      </PersonBoundary>
    </MeProvider>
  );
};
