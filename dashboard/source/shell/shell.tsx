import { Anchor, AppShell, Burger, Divider, Group, NavLink, ScrollArea, Select, Text, ThemeIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBook, IconPlayerPlayFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useLiveChanges } from '../live/use-changes.ts';
import { PeopleProvider, useAccountPeople } from '../people/people.ts';
import { QuickSearch } from '../search/quick-search.tsx';
import { type Me, useMe } from '../session/me.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { accountEntries, type Entry, OPERATORS, SESSIONS, teamEntries } from './entries.ts';
import { SignOut } from './sign-out.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const SECTIONS = ['overview', 'renders', 'projects', 'keys', 'webhooks', 'people'];

/** The team in the address, or else a team of the account in the address. */
const teamAt = (path: string, { teams }: Me): Me['teams'][number] | undefined => {
  const named = /^\/teams\/([^/]+)/.exec(path)?.[1];
  const account = /^\/accounts\/([^/]+)/.exec(path)?.[1];
  return teams.find(({ id }) => id === named) ?? teams.find(({ account_id }) => account_id === account) ?? teams[0];
};

export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const me = useMe();
  const [path, go] = useLocation();
  const [opened, { toggle, close }] = useDisclosure();
  const team = teamAt(path, me);
  const account = me.accounts.find(({ id }) => id === team?.account_id) ?? me.accounts[0];
  useLiveChanges(account?.id ?? null);
  const people = useAccountPeople(account?.id ?? null);
  const pages: readonly Entry[] = [
    ...(team === undefined ? [] : teamEntries(team)),
    ...(account === undefined ? [] : accountEntries(account)),
    ...(me.is_operator ? [OPERATORS] : []),
    SESSIONS,
  ];
  const entry = ({ label, to, icon: Icon }: Entry) => (
    <NavLink
      key={to}
      component={Link}
      href={to}
      label={label}
      leftSection={<Icon size={18} stroke={1.75} aria-hidden />}
      className="entry"
      active={path === to || (path.startsWith(`${to}/`) && to.startsWith('/teams'))}
      {...(path === to && { 'aria-current': 'page' as const })}
      onClick={close}
    />
  );
  const nameOf = (account_id: string): string => me.accounts.find(({ id }) => id === account_id)?.name ?? account_id;
  const switchTo = (team_id: string): void => {
    close();
    const section = path.split('/')[3];
    go(`/teams/${team_id}/${SECTIONS.find((one) => one === section) ?? 'overview'}`);
  };
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <Anchor href="#content" className="skip">
        Skip to content
      </Anchor>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={opened}
            />
            <Group component="span" gap={8} wrap="nowrap" miw={0}>
              <ThemeIcon size={26} aria-hidden>
                <IconPlayerPlayFilled size={14} />
              </ThemeIcon>
              <Text fw={650} component={Link} href="/" c="inherit" td="none" truncate visibleFrom="xs">
                Video rendering
              </Text>
            </Group>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <QuickSearch team={team} entries={pages} people={people} />
            <Text
              size="sm"
              c="dimmed"
              visibleFrom="xs"
              truncate
              title={[me.email, me.user_id].filter((text) => text !== null).join(' · ') || undefined}
            >
              {me.name ?? me.email ?? me.user_id ?? 'Operator'}
            </Text>
            <ThemeSwitch />
            <SignOut />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Main" className="navbar">
        {team === undefined ? null : (
          <AppShell.Section mb="sm">
            <Select
              label="Team"
              data={me.teams.map(({ id, name, account_id }) => ({
                value: id,
                label: `${name} · ${nameOf(account_id)}`,
              }))}
              value={team.id}
              allowDeselect={false}
              searchable={me.teams.length > 8}
              onChange={(id) => id !== null && switchTo(id)}
            />
          </AppShell.Section>
        )}
        <AppShell.Section grow component={ScrollArea}>
          {team === undefined ? null : teamEntries(team).map(entry)}
          {account === undefined ? null : (
            <>
              <Divider
                my="xs"
                label={
                  <Text span size="xs" truncate>
                    {account.name}
                  </Text>
                }
                labelPosition="left"
              />
              {accountEntries(account).map(entry)}
            </>
          )}
          {me.is_operator ? entry(OPERATORS) : null}
        </AppShell.Section>
        <AppShell.Section>
          {entry(SESSIONS)}
          <NavLink
            component="a"
            href="/v1/docs"
            label="API documentation"
            leftSection={<IconBook size={18} stroke={1.75} aria-hidden />}
            className="entry"
          />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className="content">
          <ConnectionNotice />
          <PeopleProvider value={people}>{children}</PeopleProvider>
        </div>
      </AppShell.Main>
    </AppShell>
  );
};
