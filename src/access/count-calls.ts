import type { Metrics } from '../platform/metrics.ts'
import type { CallReport } from './chain-source.ts'

export function countCalls(metrics: Metrics): (call: CallReport) => void {
  return ({ method, code, durationMs, bytes }) => {
    metrics.accessCalls.inc({ method, code })
    metrics.accessSeconds.observe({ method }, durationMs / 1000)
    metrics.accessBytes.inc({ method }, bytes)
  }
}
