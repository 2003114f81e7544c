import { type ReactNode, useLayoutEffect, useState } from 'react';
import { isAtPageOfAnother, leavePage } from './person.ts';

/** The pages of one person. After a change of person they begin at the first page, and ignore the requested address. */
export const Arrival = ({ children }: { readonly children: ReactNode }) => {
  const [arrived, setArrived] = useState(() => !isAtPageOfAnother());
  useLayoutEffect(() => {
    if (arrived) return;
    leavePage();
    setArrived(true);
  }, [arrived]);
  return arrived ? children : null;
};
