import { Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { Fault } from './fault.tsx';

type Asked = { readonly error: Error | null; readonly retry: () => unknown };

/** In the place of what has not come yet, or did not come. */
export const Pending = ({ error, retry }: Asked) =>
  error === null ? <Loader aria-label="Loading" /> : <Fault error={error} retry={retry} />;

/** What was asked for, with the fault above it where it could not be asked for again. */
export const Loaded = <A,>(
  props: Asked & { readonly data: A | undefined; readonly children: (data: A) => ReactNode },
) => {
  const { data, error, retry, children } = props;
  if (data === undefined) return <Pending error={error} retry={retry} />;
  return (
    <>
      <Fault error={error} retry={retry} />
      {children(data)}
    </>
  );
};
