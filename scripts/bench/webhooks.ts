import { availableParallelism } from 'node:os'
import { readOptions } from './read-options.ts'
import { measureWebhooks, webhookScenarios } from './webhooks/measure-webhooks.ts'

/**
 * `npm run bench:webhooks`: deliveries a second of one process, the processor time of each, and the time from the commit of an event
 * until its receiver has it, while others do not answer. Made-up blocks, real sockets; the receivers are one process of their own on the same machine.
 */

const { values } = readOptions(import.meta.filename, {
  options: {
    deliveries: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '10' },
    only: { type: 'string' },
  },
})
const load = { deliveries: Number(values.deliveries), seconds: Number(values.seconds) }

process.stdout.write(
  `Webhooks: one process, ${availableParallelism()} cores for it, PostgreSQL and the receivers, Node ${process.version}\n\n` +
    `${''.padEnd(40)}each s   CPU µs: Node   PostgreSQL   median ms   p99   repeated\n`,
)
for (const scenario of webhookScenarios) {
  if (values.only !== undefined && !scenario.name.includes(values.only)) continue
  const { perSecond, nodeUs, postgresUs, latency, repeated } = await measureWebhooks(scenario, load)
  process.stdout.write(
    scenario.name.padEnd(36) +
      Math.round(perSecond).toLocaleString('en').padStart(8) +
      nodeUs.toFixed(0).padStart(12) +
      postgresUs.toFixed(0).padStart(12) +
      (latency?.medianMs.toFixed(0) ?? '').padStart(11) +
      (latency?.p99Ms.toFixed(0) ?? '').padStart(8) +
      String(repeated).padStart(10) +
      '\n',
  )
}
