/** Where to sign in, and be led back to this page. @param query of the page then; undefined for the one it has */
export const signInAddress = ({ fresh = false, query }: { fresh?: boolean; query?: string } = {}): string => {
  const { pathname, search } = window.location;
  const back = `${pathname}${query === undefined ? search : `?${query}`}`;
  return `/manage/v1/sign-in?${fresh ? 'fresh=true&' : ''}return_to=${encodeURIComponent(back)}`;
};
