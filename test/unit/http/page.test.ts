import test from 'ava';

const PAGE = new URL('../../../query-api/documentation/page/', import.meta.url);

const storage = () => {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
};

const KEY = { ApiKey: { name: 'ApiKey', schema: { type: 'http', scheme: 'bearer' }, value: 'vr_secret' } };

const openPage = async () => {
  const { KeptAuthorization } = await import(new URL('authorization.js', PAGE).href);
  const { auth, configs } = KeptAuthorization().statePlugins;
  let authorized = {};
  const system = {
    authSelectors: { authorized: () => ({ toJS: () => authorized }) },
    authActions: {
      restoreAuthorization: (restored: { readonly authorized: object }) => {
        authorized = restored.authorized;
      },
    },
  };
  configs.wrapActions.loaded(() => undefined, system)();
  const set = (next: object): void => {
    authorized = next;
    auth.wrapActions.persistAuthorizationIfNeeded(() => undefined, system)();
  };
  return { set, authorized: () => authorized };
};

test.afterEach.always(() => {
  for (const name of ['sessionStorage', 'localStorage']) Reflect.deleteProperty(globalThis, name);
});

test.serial('an authorisation survives a reload, only in its tab, until it is revoked', async (t) => {
  const [sessionStorage, localStorage] = [storage(), storage()];
  Object.assign(globalThis, { sessionStorage, localStorage });
  t.deepEqual((await openPage()).authorized(), {});

  (await openPage()).set(KEY);
  const reloaded = await openPage();
  t.deepEqual(reloaded.authorized(), KEY);
  t.is(localStorage.items.size, 0);

  reloaded.set({});
  t.is(sessionStorage.items.size, 0);
  t.deepEqual((await openPage()).authorized(), {});
});

test.serial('the page works if its browser stores nothing', async (t) => {
  const refuse = () => {
    throw new Error('the storage is off');
  };
  Object.assign(globalThis, { sessionStorage: { getItem: refuse, setItem: refuse, removeItem: refuse } });
  const page = await openPage();
  page.set(KEY);
  t.deepEqual(page.authorized(), KEY);
});
