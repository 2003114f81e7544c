/**
 * The address that starts a sign-in and then returns to this page.
 *
 * @param query of the page after the sign-in; the current query by default
 */
export const signInAddress = ({ fresh = false, query }: { fresh?: boolean; query?: string } = {}): string => {
  const { pathname, search } = window.location;
  const back = `${pathname}${query === undefined ? search : `?${query}`}`;
  return `/manage/v1/sign-in?${fresh ? 'fresh=true&' : ''}return_to=${encodeURIComponent(back)}`;
};
