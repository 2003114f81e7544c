// Keeps the API key in sessionStorage: there it survives a reload, is of this tab alone, and is gone when the tab is
// closed. Swagger UI's own option would leave it in localStorage, for every tab and for ever.
const ITEM = 'authorization';

/** Nothing where the browser keeps nothing for pages. */
const saved = () => {
  try {
    return JSON.parse(sessionStorage.getItem(ITEM)) ?? {};
  } catch {
    return {};
  }
};

const save = (authorized) => {
  try {
    if (Object.keys(authorized).length === 0) sessionStorage.removeItem(ITEM);
    else sessionStorage.setItem(ITEM, JSON.stringify(authorized));
  } catch {
    // It holds until the next reload.
  }
};

/** A plugin of Swagger UI. */
export const KeptAuthorization = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded: (_original, system) => () => save(system.authSelectors.authorized().toJS()),
      },
    },
    configs: {
      wrapActions: {
        loaded: (original, system) => (payload) => {
          original(payload);
          system.authActions.restoreAuthorization({ authorized: saved() });
        },
      },
    },
  },
});
