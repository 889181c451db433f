import type { BenchSheet } from '../bench-run.ts'
import { measureRestart } from '../recovery/measure-restart.ts'
import { measureTakeovers } from '../recovery/measure-takeovers.ts'

/** `kill -9` of one process of several, and of one that is alone. */
export async function benchRecovery(sheet: BenchSheet): Promise<void> {
  const takeovers = await measureTakeovers(sheet.size.kills)
  const slowest = takeovers.reduce((worst, one) => (one.seconds > worst.seconds ? one : worst))
  sheet.note('recovery.takeover', slowest.seconds, slowest.leaseSeconds)
  sheet.note('recovery.done', Math.max(...takeovers.map(({ doneSeconds }) => doneSeconds)), slowest.leaseSeconds)
  const { seconds, loadSeconds } = await measureRestart()
  sheet.note('recovery.restart', seconds, loadSeconds)
}
