import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSearchParams } from 'wouter';
import { api, taken } from '../api/client.ts';
import { signInAddress } from './sign-in-address.ts';

/** Time to fill in a form. */
const ENOUGH_MS = 60_000;

/** Whether keys and secrets may be made now; they need a sign-in that is some minutes old at most. */
const useFresh = (): boolean => {
  const { data } = useQuery({
    queryKey: ['session'],
    queryFn: () => taken(api.GET('/manage/v1/session')),
    refetchInterval: 30_000,
  });
  return data?.fresh_until != null && data.fresh_until > Date.now() + ENOUGH_MS;
};

type Shown = { readonly opened: boolean; readonly onClose: () => void };

/**
 * A button for what needs a fresh sign-in. Where there is none, it asks for one first, and opens by itself when the
 * person is back.
 *
 * @param name in the address: unique on the page
 */
export const FreshAction = (props: {
  readonly name: string;
  readonly label: string;
  readonly variant?: 'filled' | 'default' | 'subtle';
  readonly size?: 'xs' | 'sm';
  readonly children: (shown: Shown) => ReactNode;
}) => {
  const { name, label, variant = 'filled', size = 'sm', children } = props;
  const fresh = useFresh();
  const [query, setQuery] = useSearchParams();
  const [asking, setAsking] = useState(false);
  const wanted = query.get('open') === name;
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
      <Button variant={variant} size={size} onClick={() => (fresh ? set(true) : setAsking(true))}>
        {label}
      </Button>
      {children({ opened: wanted && fresh, onClose: () => set(false) })}
      <Modal opened={asking} onClose={() => setAsking(false)} title="Sign in once more">
        <Stack>
          <Text>Secrets are shown only to who has just signed in. You will be back here at once.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)}>
              Not now
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
