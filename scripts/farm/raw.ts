import { withDatabase } from '../cli/open-database.ts'
import { pluralize, print, printJson } from '../cli/texts.ts'
import { listFailingHeights, retryHeights, skipHeight } from '../../src/farm/leases/coverage.ts'
import { exitCodes, FatalError } from '../../src/platform/errors.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'

const maxListed = 500

export function raw(action: string, operand: string | undefined, json: boolean): Promise<number> {
  return withDatabase(async ({ pool }) => {
    if (action === 'list') {
      if (operand !== undefined) throw new FatalError('bad-argument', 'list takes no height.')
      const { heights, failing, unavailable } = await listFailingHeights(pool, maxListed)
      if (json) printJson({ failing, unavailable, heights })
      else {
        print(`${pluralize(failing, 'height')} failing, ${pluralize(unavailable, 'height')} unavailable`)
        for (const { height, state, part, reason, since } of heights) {
          print(`${height}  ${state}${part === null ? '' : ` (${part})`} since ${since.toISOString()}: ${reason}`)
        }
      }
      return exitCodes.success
    }
    const range = readHeights(action, operand)
    if (action === 'skip') {
      if (range.to - range.from > 1) throw new FatalError('bad-argument', 'skip takes one height.')
      await skipHeight(pool, range.from)
      if (json) printJson({ skipped: range.from })
      else print(`Height ${range.from} is skipped at the ingester's next attempt, within seconds.`)
      return exitCodes.success
    }
    const heights = await retryHeights(pool, range)
    if (json) printJson({ retried: heights })
    else print(`${pluralize(heights.length, 'unavailable height')} will be fetched and derived again.`)
    return exitCodes.success
  })
}

/** @throws FatalError `bad-argument` */
function readHeights(action: string, operand: string | undefined): HeightRange {
  const match = /^(\d{1,15})(?:\.\.(\d{1,15}))?$/.exec(operand ?? '')
  const from = Number(match?.[1])
  const last = match?.[2] === undefined ? from : Number(match[2])
  if (match !== null && last >= from) return { from, to: last + 1 }
  throw new FatalError(
    'bad-argument',
    `${action} needs a height: npm run raw -- ${action} <height>, not "${operand ?? ''}".`,
  )
}
