import { Fragment, memo } from 'react'
import type { ReactNode } from 'react'
import { formatCount } from '../../../kit/formats.ts'
import { readCadenceLines } from '../../../kit/cadence-tokens.ts'
import type { LineHunk, NumberedLine } from '../../line-hunks.ts'
import { Tokens } from '../../../kit/tokens.tsx'

const signs = { same: ' ', old: '−', new: '+' } as const

export interface DifferencesProps {
  readonly before: string
  readonly after: string
  readonly hunks: readonly LineHunk[]
}

/** The lines of two codes that differ, with the numbers that they have in each and some lines around them. */
export const Differences = memo(function Differences({ before, after, hunks }: DifferencesProps): ReactNode {
  const [old, now] = [readCadenceLines(before), readCadenceLines(after)]
  const tokensOf = (line: NumberedLine): ReactNode => (
    <Tokens tokens={(line.after === undefined ? old[(line.before ?? 0) - 1] : now[line.after - 1]) ?? []} />
  )
  return (
    <div className="code-scroll" tabIndex={0} role="group" aria-label="Lines">
      <pre className="differences">
        {hunks.map(({ lines, skipped }, n) => (
          <Fragment key={n}>
            {skipped > 0 && <span className="gap">{`⋯ ${formatCount(skipped, 'line')} that stay the same\n`}</span>}
            {lines.map((line) => (
              <span key={`${line.before ?? ''} ${line.after ?? ''}`} className={line.kind}>
                <i aria-hidden="true">{line.before}</i>
                <i aria-hidden="true">{line.after}</i>
                {`${signs[line.kind]} `}
                {tokensOf(line)}
                {'\n'}
              </span>
            ))}
          </Fragment>
        ))}
      </pre>
    </div>
  )
})
