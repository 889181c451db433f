import type { BenchSheet } from '../bench-run.ts'
import { measureBarePosts } from '../webhooks/bare-posts.ts'
import { measureWebhooks, webhookScenarios } from '../webhooks/measure-webhooks.ts'
import type { WebhookResult } from '../webhooks/measure-webhooks.ts'

/** Deliveries of a backlog and of blocks that come, and bare requests. */
export async function benchWebhooks(sheet: BenchSheet): Promise<void> {
  const { deliveries, webhookSeconds } = sheet.size
  const measure = async (name: string): Promise<WebhookResult> => {
    const scenario = webhookScenarios.find((one) => one.name === name)
    if (scenario === undefined) throw new Error(`There is no scenario ${name}`)
    return measureWebhooks(scenario, { deliveries, seconds: webhookSeconds })
  }
  const bare = await measureBarePosts(deliveries, 100)
  sheet.note('webhooks.backlog', (await measure('100 subscriptions, a backlog')).perSecond, bare.perSecond)
  const { latency } = await measure('100 subscriptions, 250 a second')
  sheet.note('webhooks.latency', latency?.medianMs ?? Number.NaN, bare.medianMs)
  sheet.note('webhooks.latency-p99', latency?.p99Ms ?? Number.NaN, bare.p99Ms)
}
