import { growthChart } from './growth-chart.ts'
import { readHistory } from './history.ts'
import { chartPath, lastFull, pagePath, performancePage } from './performance-page.ts'

/**
 * The page and its picture, by their paths from the root.
 * @param historyText the lines of `historyPath`
 * @throws FatalError `bad-history`
 */
export function performancePages(historyText: string): ReadonlyMap<string, string> {
  const history = readHistory(historyText)
  const last = lastFull(history)
  return new Map([
    [pagePath, performancePage(history)],
    ...(last === undefined ? [] : ([[chartPath, growthChart(last.growth.blocks)]] as const)),
  ])
}
