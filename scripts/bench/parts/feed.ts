import type { BenchSheet } from '../bench-run.ts'
import { feedScenarios, measureFeed, offeredPace } from '../feed/measure-feed.ts'

/** Blocks as fast as they are told. */
const ids: Readonly<Record<string, string>> = {
  'everything, nothing said': 'feed.everything',
  'one of 10 accounts, each its own filter': 'feed.tenth',
  'one of 100 accounts, each its own filter': 'feed.hundredth',
}

/** The feed on made-up blocks, and as many bare writes. */
export async function benchFeed(sheet: BenchSheet): Promise<void> {
  const load = { clients: sheet.size.feedClients, seconds: sheet.size.feedSeconds, transactions: 120 }
  for (const scenario of feedScenarios) {
    if (scenario.name === offeredPace) {
      const { told } = await measureFeed(scenario, load)
      sheet.note('feed.offered', told.perSecond)
      sheet.note('feed.offered-longest', told.longestMs)
    }
    const id = ids[scenario.name]
    if (id === undefined) continue
    const { told, bare, blocks } = await measureFeed(scenario, load)
    const usAWrite = (stretch: { readonly cpuSeconds: number }): number =>
      (stretch.cpuSeconds * 1e6) / (blocks * load.clients)
    const messagesAWrite = told.deliveries / (blocks * load.clients)
    sheet.note(id, told.perSecond, bare === undefined ? undefined : bare.perSecond * messagesAWrite)
    sheet.note(`${id}-write`, usAWrite(told), bare === undefined ? undefined : usAWrite(bare))
  }
}
