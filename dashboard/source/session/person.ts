import { ME_QUERY_KEY } from '../api/me-query-key.ts';
import { queryClient, refetchSession } from '../api/query-client.ts';
import { forgetSecrets } from '../secrets/shown-secrets.ts';
import { removeSheetsOfOthers } from '../sheet/sheet-store.ts';

/** The person whose data this tab has; null if it has none. */
let held: string | null = null;
/** The person in the last response; null if no person is signed in. */
let signed_in: string | null | undefined;

/** All tabs share a cookie and therefore the person, so each tab tells the others which person it sees. */
const tabs = new BroadcastChannel('person');

const tellTabs = (person: string | null): void => {
  if (signed_in === person) return;
  signed_in = person;
  tabs.postMessage(person);
};

tabs.onmessage = ({ data }: MessageEvent<string | null>) => {
  if (data !== signed_in) void queryClient.invalidateQueries({ queryKey: ME_QUERY_KEY });
};

// A page that the back button restores may belong to the previous person.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) refetchSession();
});

/** Pages about the person, not about a team or an account. */
const OWN_PAGES = ['/dashboard/invitation', '/dashboard/sessions'];

let is_at_page_of_another = false;

/**
 * True if the address is a page of the previous person. The new person may have no access to this page, and did not
 * open the dialog that the address names.
 */
export const isAtPreviousPersonsPage = (): boolean => is_at_page_of_another;

/** Call this after the pages show the new person, because the first page redirects to a team of that person. */
export const goToFirstPage = (): void => {
  is_at_page_of_another = false;
  window.history.replaceState(null, '', '/dashboard/');
};

const dropQueries = (): void =>
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME_QUERY_KEY[0] });

/**
 * Assigns this tab's data to a person, and removes data of the previous person.
 *
 * @param person the id of the user, or of the session if it has no user
 */
export const assignTabTo = (person: string): void => {
  if (held !== null && held !== person) {
    dropQueries();
    forgetSecrets();
    const { pathname } = window.location;
    // Reads the address now: accepting an invitation changes the person, and the invitation's page then navigates to
    // the team.
    if (OWN_PAGES.includes(pathname)) window.history.replaceState(null, '', pathname);
    else is_at_page_of_another = true;
  }
  if (held !== person) removeSheetsOfOthers(person);
  held = person;
  tellTabs(person);
};

/**
 * Removes the data when no person is signed in. Secrets stay, because they cannot be shown again and the same person
 * may sign in again.
 */
export const clearTabData = (): void => {
  dropQueries();
  tellTabs(null);
};
