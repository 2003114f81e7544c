import { type ReactNode, useLayoutEffect, useState } from 'react';
import { isAtPageOfAnother, leavePage } from './person.ts';

export const Arrival = ({ children }: { readonly children: ReactNode }) => {
  const [arrived, setArrived] = useState(() => !isAtPageOfAnother());
  useLayoutEffect(() => {
    if (arrived) return;
    leavePage();
    setArrived(true);
  }, [arrived]);
  return arrived ? children : null;
};
