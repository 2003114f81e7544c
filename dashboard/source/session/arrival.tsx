import { type ReactNode, useLayoutEffect, useState } from 'react';
import { isAtPreviousPersonsPage, leavePage } from './person.ts';

export const PersonBoundary = ({ children }: { readonly children: ReactNode }) => {
  const [arrived, setArrived] = useState(() => !isAtPreviousPersonsPage());
  useLayoutEffect(() => {
    if (arrived) return;
    leavePage();
    setArrived(true);
  }, [arrived]);
  return arrived ? children : null;
};
