import { Anchor, Group, Loader, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { creditsQuery } from '../account/credits-query.ts';
import { api, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { useAccount, useHasRight, useTeam } from '../session/me.ts';
import { ErrorMessage } from '../shown/fault.tsx';
import { dayOf } from '../shown/period.tsx';
import { endpointsQuery } from '../webhooks/endpoints-query.ts';
import {
  type AttentionItem,
  creditItems,
  endpointItems,
  failedItems,
  invitationItems,
  keyItems,
} from './attention-items.ts';
import { DAY_MS, OVERVIEW_EVERY_MS } from './statistics-days.ts';
import { teamStatisticsQuery } from './statistics-queries.ts';

const LIMIT = 100;
const WEEK_DAYS = 7;

const Item = ({ is_urgent, text, to, action }: AttentionItem) => (
  <Group component="li" wrap="nowrap" align="flex-start" gap="sm" py={8} className="attention">
    <ThemeIcon variant="light" color={is_urgent ? 'red' : 'orange'} size="sm" mt={2}>
      {is_urgent ? <IconAlertTriangle size={14} aria-hidden /> : <IconInfoCircle size={14} aria-hidden />}
    </ThemeIcon>
    <Text size="sm" flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Text>
    <Anchor component={Link} href={to} size="sm" inherit={false} style={{ whiteSpace: 'nowrap' }}>
      {action}
    </Anchor>
  </Group>
);

const failedList = (team_id: string, since: number): string =>
  `/teams/${team_id}/renders?status=failed&from=${dayOf(since)}`;

const useItems = (team_id: string) => {
  const refetchInterval = useRefetchInterval(OVERVIEW_EVERY_MS);
  const account_id = useTeam(team_id)?.account_id ?? '';
  const is_owner = useAccount(account_id)?.role === 'owner';
  const may_invite = useHasRight(team_id, 'manage_members');
  const path = { team_id };
  const endpoints = useQuery({ ...endpointsQuery(team_id), refetchInterval });
  const failed = useQuery({
    queryKey: ['renders', team_id, 'failed in the last day'],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders', {
          params: { path, query: { status: 'failed', since: Date.now() - DAY_MS, limit: LIMIT } },
        }),
      ),
    refetchInterval,
  });
  const keys = useQuery({
    queryKey: ['keys', team_id, 'expiring'],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/keys', { params: { path, query: { limit: LIMIT } } })),
  });
  const credits = useQuery(creditsQuery(account_id));
  const week = useQuery(teamStatisticsQuery(team_id, WEEK_DAYS));
  const invitations = useQuery({
    queryKey: ['invitations', team_id],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/invitations', { params: { path, query: { limit: LIMIT } } })),
    enabled: may_invite,
  });
  const now = Date.now();
  const real = (failed.data?.data ?? []).filter(({ failed_as }) => failed_as !== 'cancelled');
  const items: readonly AttentionItem[] = [
    ...endpointItems(team_id, endpoints.data?.data ?? [], now),
    ...failedItems(team_id, real, failed.data?.has_more ?? false, failedList(team_id, now - DAY_MS)),
    ...(credits.data === undefined || week.data === undefined
      ? []
      : creditItems(
          credits.data,
          week.data.all.charged_credits,
          is_owner ? `/accounts/${account_id}/usage` : `/accounts/${account_id}`,
        )),
    ...keyItems(team_id, keys.data?.data ?? [], now),
    ...invitationItems(team_id, invitations.data?.data ?? [], now),
  ];
  const all = [endpoints, failed, keys, credits, week, ...(may_invite ? [invitations] : [])];
  return {
    items: items.toSorted((a, b) => Number(b.is_urgent) - Number(a.is_urgent)),
    is_loaded: all.every(({ data }) => data !== undefined),
    failing: all.find(({ error }) => error !== null),
  };
};

export const Attention = ({ team_id }: { readonly team_id: string }) => {
  const { items, is_loaded, failing } = useItems(team_id);
  return (
    <Paper withBorder p="md" component="section" aria-label="Needs attention">
      <Title order={2} size="h4" mb={4}>
        Needs attention
      </Title>
      <ErrorMessage error={failing?.error ?? null} retry={() => failing?.refetch()} />
      {items.length > 0 ? (
        <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
          {items.map((item) => (
            <Item {...item} key={item.key} />
          ))}
        </Stack>
      ) : is_loaded ? (
        <Group gap="xs" wrap="nowrap">
          <IconCircleCheck size={18} color="var(--mantine-color-green-7)" aria-hidden />
          <Text size="sm">Nothing needs your attention.</Text>
        </Group>
      ) : failing === undefined ? (
        <Loader size="sm" role="img" aria-label="Loading" />
      ) : null}
    </Paper>
  );
};
