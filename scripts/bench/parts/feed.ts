import type { BenchSheet } from '../bench-run.ts'
import { feedScenarios, measureFeed } from '../feed/measure-feed.ts'

const ids: Readonly<Record<string, string>> = {
  'everything, nothing said': 'feed.everything',
  'one of 10 accounts, each its own filter': 'feed.tenth',
  'one of 100 accounts, each its own filter': 'feed.hundredth',
}

/** The feed on made-up blocks, and as many bare writes. */
export async function benchFeed(sheet: BenchSheet): Promise<void> {
  const load = { clients: sheet.size.feedClients, seconds: sheet.size.feedSeconds, transactions: 120 }
  for (const scenario of feedScenarios) {
    const id = ids[scenario.name]
    if (id === undefined) continue
    const { told, bare, blocks } = await measureFeed(scenario, load)
    const usAWrite = (stretch: { readonly cpuSeconds: number }): number => (stretch.cpuSeconds * 1e6) / (blocks * load.clients)
    sheet.note(id, told.perSecond)
    sheet.note(`${id}-write`, usAWrite(told), bare === undefined ? undefined : usAWrite(bare))
  }
}
