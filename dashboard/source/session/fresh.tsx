import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import type { DialogControl } from '../shown/confirmed.tsx';
import { signInAddress } from './sign-in-address.ts';

/** The sign-in must stay fresh for this time, so that the person can complete a form. */
const ENOUGH_MS = 60_000;

/** `ahead_ms`: this machine's clock minus the service's clock, which decides whether the sign-in is fresh. */
type Seen = Schemas['CurrentSession'] & { readonly ahead_ms: number };

const isFresh = (session: Seen | undefined): boolean =>
  session?.fresh_until != null && session.fresh_until > Date.now() - session.ahead_ms + ENOUGH_MS;

const seeSession = async (): Promise<Seen> => {
  const answer = api.GET('/manage/v1/session');
  const session = await unwrapAnswer(answer);
  const answered_at = Date.parse((await answer).response.headers.get('Date') ?? '');
  return { ...session, ahead_ms: Number.isNaN(answered_at) ? 0 : Date.now() - answered_at };
};

/**
 * Whether the sign-in is recent enough for secrets and permanent changes. Before the first response, `fresh` is false,
 * and `look` waits for the response.
 */
const useFresh = () => {
  const { data, refetch } = useQuery({
    queryKey: ['session'],
    queryFn: seeSession,
    refetchInterval: 30_000,
  });
  return { fresh: isFresh(data), look: async () => isFresh(data ?? (await refetch()).data) };
};

/**
 * Asks for a sign-in if the last one is not recent, and opens the action after the person returns.
 *
 * @param name the dialog's name in the address, unique on the page
 * @param why the reason for the sign-in
 * @param danger whether the action cannot be undone
 */
export const FreshSignInAction = (props: {
  readonly name: string;
  readonly label: string;
  readonly variant?: 'filled' | 'default' | 'subtle';
  readonly size?: 'xs' | 'sm';
  readonly why?: string;
  readonly danger?: boolean;
  readonly children: (control: DialogControl) => ReactNode;
}) => {
  const { name, label, variant = 'filled', size = 'sm', danger = false, children } = props;
  const { why = 'Sign in again to manage secrets.' } = props;
  const { fresh, look } = useFresh();
  const [query, setQuery] = useSearchParams();
  const [asking, setAsking] = useState(false);
  const [pending, setPending] = useState(false);
  const wanted = query.get('open') === name;
  // An open dialog stays open if the sign-in expires while the person types; the server checks it anyway.
  const [admitted, setAdmitted] = useState(false);
  useEffect(() => setAdmitted((before) => wanted && (fresh || before)), [wanted, fresh]);
  const set = (open: boolean) =>
    setQuery(
      (before) => {
        const after = new URLSearchParams(before);
        if (open) after.set('open', name);
        else after.delete('open');
        return after;
      },
      { replace: true },
    );
  const back = new URLSearchParams(query);
  back.set('open', name);
  return (
    <>
      <Button
        variant={variant}
        size={size}
        loading={pending}
        {...(danger && { c: 'var(--danger-text)' })}
        onClick={async () => ((await look()) ? set(true) : setAsking(true))}
      >
        {label}
      </Button>
      {children({
        opened: wanted && (fresh || admitted),
        onClose: () => set(false),
        reopen: () => set(true),
        setPending,
      })}
      <Modal opened={asking} onClose={() => setAsking(false)} title="Sign in again">
        <Stack>
          <Text>{why} You will return to this page.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)}>
              Cancel
            </Button>
            <Button component="a" href={signInAddress({ fresh: true, query: back.toString() })}>
              Sign in
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
};
