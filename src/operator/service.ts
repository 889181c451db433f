import type pg from 'pg'
import type { Mount } from '../platform/http/server.ts'
import { readFileSync } from 'node:fs'
import { addressList, clientReader } from '../platform/limits/clients.ts'
import type { CredentialOptions } from '../platform/auth/credentials.ts'
import { connectionLimits, createPool, logIdleErrors } from '../platform/db/pool.ts'
import { planStages } from '../farm/overview/stage-plan.ts'
import type { KnownWorker } from '../farm/overview/stage-plan.ts'
import { createWorkQueue } from '../farm/queues/create-work-queue.ts'
import { createOperator } from './operator.ts'
import { operatorPath } from './route.ts'
import type { servingSettings, proxySettings } from '../platform/http/settings.ts'
import type { SettingValues } from '../platform/setting.ts'
import type { ServiceContext } from '../platform/service.ts'
import { applicationsOf } from '../platform/pages/applications.ts'
import { createDashboardPages } from '../platform/pages/dashboard-pages.ts'
import { pageBuildOf } from '../platform/pages/page-build.ts'

type Config = SettingValues<typeof servingSettings & typeof proxySettings> &
  Parameters<typeof planStages>[0] & { readonly REDIS_URL: string | undefined; readonly START_BLOCK: number }

export function mountOperator(
  context: ServiceContext<Config>,
  credentials: CredentialOptions,
  readWorkers: (pool: pg.Pool) => Promise<readonly KnownWorker[]>,
): Mount {
  const { config, databaseUrl, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'operator' })
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: 3,
    applicationName: 'flowfarm operator',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('connections of the operator', () => pool.end())
  const pages = createDashboardPages({
    page: 'operator',
    log,
    build: pageBuildOf(context),
    applications: applicationsOf(context, 'operator'),
  })
  lifecycle.onStop('operator page', () => pages.stop())
  const clientOf = clientReader(addressList(config.TRUSTED_PROXIES))
  const operator = createOperator({
    pool,
    log,
    metrics,
    pages,
    version: programVersion(),
    credentials,
    clientOf,
    plans: async () => planStages(config, await readWorkers(pool)),
    stuckSessions: () => shared.stuckSessions(),
    bounds: () => ({ startBlock: config.START_BLOCK, latestHeight: shared.latestHeight() }),
    queues: {
      backend: config.REDIS_URL === undefined ? 'postgres' : 'redis',
      open: () => createWorkQueue({ databaseUrl, redisUrl: config.REDIS_URL, log }),
    },
  })
  if (operator.access === 'open')
    log.info(`${operatorPath} accepts only local requests. Set ADMIN_TOKEN for remote access`)
  return operator.mount
}

function programVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return manifest.version
}
