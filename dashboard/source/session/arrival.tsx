import { type ReactNode, useLayoutEffect, useState } from 'react';
import { goToFirstPage, isAtPreviousPersonsPage } from './person.ts';

export const PersonBoundary = ({ children }: { readonly children: ReactNode }) => {
  const [arrived, setArrived] = useState(() => !isAtPreviousPersonsPage());
  useLayoutEffect(() => {
    if (arrived) return;
    goToFirstPage();
    setArrived(true);
  }, [arrived]);
  return arrived ? children : null;
};
