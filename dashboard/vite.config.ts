import { defineConfig } from 'vite';

/** Set by `make dev`: the gateway, and the origin that it expects of browsers. */
const { DASHBOARD_GATEWAY_URL: gateway, DASHBOARD_PUBLIC_URL: origin, DASHBOARD_PORT: port } = process.env;

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  // The server puts the nonce of each answer in its place.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Directives are of another kind of program, which renders on a server, too.
      onLog: (level, log, tell) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
  server: {
    host: '127.0.0.1',
    ...(port === undefined ? {} : { port: Number(port), strictPort: true }),
    allowedHosts: ['.localhost'],
    ...(gateway === undefined || origin === undefined
      ? {}
      : {
          proxy: {
            '^/(?!dashboard(/|$))': { target: gateway, headers: { host: new URL(origin).host, origin } },
          },
        }),
  },
  clearScreen: false,
});
