import { Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorMessage } from './fault.tsx';

type Asked = { readonly error: Error | null; readonly retry: () => unknown };

export const LoadingState = ({ error, retry }: Asked) =>
  error === null ? <Loader role="img" aria-label="Loading" /> : <ErrorMessage error={error} retry={retry} />;

/** If a refetch fails, the fault is shown above the earlier data. */
export const LoadedData = <A,>(
  props: Asked & { readonly data: A | undefined; readonly children: (data: A) => ReactNode },
) => {
  const { data, error, retry, children } = props;
  if (data === undefined) return <LoadingState error={error} retry={retry} />;
  return (
    <>
      <ErrorMessage error={error} retry={retry} />
      {children(data)}
    </>
  );
};
