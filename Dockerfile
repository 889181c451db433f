# Without PostgreSQL and Redis: set DB_URL, and optionally REDIS_URL. See docs/quick-start.md.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --ignore-scripts
COPY . .
RUN node scripts/build.ts
# Removes Node and PostgreSQL packages and the bundler: the image has Node, and the pages are built.
RUN npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:24-bookworm-slim
ENV NODE_ENV=production DATA_FOLDER=/tmp/flowfarm
WORKDIR /app
COPY --from=build /app .
USER node
EXPOSE 8080 8084 8085 3001 3002 3003 3004
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "src/main.ts"]
