import { FatalError } from '../../src/platform/errors.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { wholeNumber } from './options.ts'

/** The heights that a command is about; people name the first and the last of them. */
export const heightOptions = {
  from: wholeNumber('<height>', 'First height.'),
  to: wholeNumber('<height>', 'Last height, included.'),
}

interface GivenHeights {
  readonly from: number | undefined
  readonly to: number | undefined
}

/** Both must be given. @throws FatalError `bad-option` */
export function requiredRange({ from, to }: GivenHeights): HeightRange {
  if (from === undefined || to === undefined) {
    const missing = from === undefined ? 'from' : 'to'
    throw new FatalError('bad-option', `--${missing} is missing: name the heights by --from <height> --to <height>.`)
  }
  return { from, to: endOf({ from, to }) as number }
}

/** The end of the heights, exclusive, where a last one is given. @throws FatalError `bad-option` */
export function endOf({ from, to }: GivenHeights): number | undefined {
  if (from !== undefined && to !== undefined && to < from) {
    const message = `--to ${to} is below --from ${from}: --from is the first height and --to the last.`
    throw new FatalError('bad-option', message)
  }
  return to === undefined ? undefined : to + 1
}
