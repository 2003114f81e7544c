# One image for all components. The command selects one: node <component>/main.ts.
FROM node:24-bookworm-slim AS dashboard
WORKDIR /service
COPY package.json package-lock.json ./
COPY patches ./patches
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build:dashboard

FROM node:24-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates ffmpeg bubblewrap python3-seccomp \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /service
# Without .npmrc: it can contain a token of a private registry.
COPY package.json package-lock.json ./
COPY patches ./patches
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
# Only the built dashboard, without its build tools.
COPY --from=dashboard /service/dashboard/dist ./dashboard/dist
ENV HOST=0.0.0.0 PORT=8080 HEALTH_HOST=0.0.0.0 HEALTH_PORT=8081 PATH=/service/node_modules/.bin:$PATH
# Work folder of renders. Volumes of compose take over its owner.
RUN mkdir /var/work && chown node:node /var/work
USER node
EXPOSE 8080 8081
# Port 8081 has health and metrics: for probes and collectors, never for clients. The image has no curl, so Node checks.
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=12 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.HEALTH_PORT + '/health/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "gateway/main.ts"]
