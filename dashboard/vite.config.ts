import { defineConfig } from 'vite';

/** `make dev` sets these: the gateway, and the origin that it expects from browsers. */
const { DASHBOARD_GATEWAY_URL: gateway, DASHBOARD_PUBLIC_URL: origin, DASHBOARD_PORT: port } = process.env;

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  // The server replaces this text with the nonce of each response.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Directives like "use client" are for programs that also render on a server.
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
