import { pino } from 'pino'
import { connectionLimits } from '../../../src/platform/db/connection-limits.ts'
import { createPool } from '../../../src/platform/db/pool.ts'
import { WebhookService } from '../../../src/webhooks/webhook-service.ts'
import { tellParent } from '../../support/tell-parent.ts'

/** Makes and sends webhooks of the database of its first argument, as the program does, in a process of its own. */
const [, , databaseUrl = ''] = process.argv
const pool = createPool(databaseUrl, { ...connectionLimits, max: 8, applicationName: 'bench webhooks' })
const service = new WebhookService({
  databaseUrl,
  pool,
  log: pino({ level: 'warn' }),
  allowedNetworks: ['127.0.0.0/8'],
  relay: undefined,
  concurrency: 500,
  timeoutMs: 10_000,
  retry: { maxTries: 12, baseMs: 5000, capMs: 60_000, pauseAfter: 50 },
})
service.start()
tellParent('started')
process.once('disconnect', () => {
  void service
    .stop()
    .then(() => pool.end())
    .then(() => process.exit())
})
