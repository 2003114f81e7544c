import { type ReactNode, useLayoutEffect, useState } from 'react';
import { isAtPageOfAnother, leavePage } from './person.ts';

/** What one person sees. A person who comes after another begins at the first page, without what the address asked for. */
export const Arrival = ({ children }: { readonly children: ReactNode }) => {
  const [arrived, setArrived] = useState(() => !isAtPageOfAnother());
  useLayoutEffect(() => {
    if (arrived) return;
    leavePage();
    setArrived(true);
  }, [arrived]);
  return arrived ? children : null;
};
