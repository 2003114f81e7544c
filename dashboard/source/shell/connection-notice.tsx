import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** A request that takes longer than this counts as slow. Changes of keys and endpoints take two seconds anyway. */
const SLOW_AFTER_MS = 5_000;

/** Whether some request has been under way without a pause for {@link SLOW_AFTER_MS}. */
const useIsSlow = (): boolean => {
  const is_busy = useIsFetching() + useIsMutating() > 0;
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!is_busy) {
      setSlow(false);
      return;
    }
    const timer = window.setTimeout(() => setSlow(true), SLOW_AFTER_MS);
    return () => clearTimeout(timer);
  }, [is_busy]);
  return slow;
};

/** Says that the page is offline, or that the network is slow. */
export const ConnectionNotice = () => {
  const { online } = useNetwork();
  const is_slow = useIsSlow();
  return (
    <div role="status">
      {online ? (
        is_slow ? (
          <Alert color="orange" title="The connection is slow." mb="md">
            Still waiting for the service.
          </Alert>
        ) : null
      ) : (
        <Alert color="orange" title="You are offline." mb="md">
          This page shows what it last read. It continues when you are connected.
        </Alert>
      )}
    </div>
  );
};
