import { memo, useId, useMemo, Fragment } from 'react'
import type { ReactNode } from 'react'
import { Badge } from '../../kit/controls.tsx'
import { readCadenceLines } from '../../kit/code-tokens.ts'
import { formatCount } from '../../kit/formats.ts'
import { useSearchValue } from '../../kit/router.tsx'
import { Loading, EmptyState } from '../../kit/state.tsx'
import { Tokens } from '../../kit/code.tsx'
import { compareLines, maxEdits, maxOneSidedLines, lineHunks } from '../../kit/line-differences.ts'
import type { DifferentLine, LineHunk, NumberedLine } from '../../kit/line-differences.ts'
import { useAnswer } from '../api.ts'
import { Trouble } from '../parts/lists.tsx'

/** Lines that stay the same are shown so far around those that do not. */
const context = 3

interface VersionDifferencesProps {
  readonly identifier: string
  readonly version: number
  /** Those that it can be compared with. */
  readonly versions: readonly number[]
}

/** What makes one version of a contract another than one before it, which is the last one unless it is chosen. */
export function VersionDifferences({ identifier, version, versions }: VersionDifferencesProps): ReactNode {
  const [chosen, choose] = useSearchValue('against')
  const earlier = versions.filter((other) => other < version)
  const against = earlier.find((other) => String(other) === chosen) ?? earlier[0]
  const path = '/flow/contract/{identifier}/version/{version}'
  const after = useAnswer(path, { identifier, version })
  const before = useAnswer(path, { identifier, version: against }, { isOn: against !== undefined })
  const failed = [after, before].find(({ isError }) => isError)
  const isWaiting = after.data === undefined || (against !== undefined && before.data === undefined)
  return (
    <section
      className="panel"
      aria-label={`What version ${version} changed`}
      aria-busy={isWaiting && failed === undefined}
    >
      <header>
        <h2>{against === undefined ? `The first version that is known, ${version}` : `Version ${version} against`}</h2>
        {against !== undefined && <EarlierVersions versions={earlier} chosen={against} onChoose={choose} />}
      </header>
      {failed !== undefined && (
        <Trouble error={failed.error} what="the code of this version" onRetry={() => void failed.refetch()} />
      )}
      {failed === undefined && isWaiting && <Loading label="Loading the code" rows={6} />}
      {failed === undefined && !isWaiting && (
        <Compared
          before={against === undefined ? '' : (before.data?.data[0]?.code ?? null)}
          after={after.data.data[0]?.code ?? null}
          isFirst={against === undefined}
        />
      )}
    </section>
  )
}

interface EarlierVersionsProps {
  readonly versions: readonly number[]
  readonly chosen: number
  readonly onChoose: (version: string) => void
}

function EarlierVersions({ versions, chosen, onChoose }: EarlierVersionsProps): ReactNode {
  const id = useId()
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        Compare with version
      </label>
      <select id={id} className="input" value={chosen} onChange={(event) => onChoose(event.target.value)}>
        {versions.map((version) => (
          <option key={version} value={version}>
            version {version}
          </option>
        ))}
      </select>
    </>
  )
}

interface ComparedProps {
  /** Null where the code is not kept. */
  readonly before: string | null
  readonly after: string | null
  readonly isFirst: boolean
}

const Compared = memo(function Compared({ before, after, isFirst }: ComparedProps): ReactNode {
  const lines = useMemo(() => {
    if (before === null || after === null) return []
    return isFirst ? newLines(after) : compareLines(before, after)
  }, [before, after, isFirst])
  if (before === null || after === null) {
    return (
      <EmptyState title="The code is not kept here">
        It is known only that the contract was changed, not how.
      </EmptyState>
    )
  }
  if (lines === undefined) return <Unmarked before={isFirst ? undefined : before} after={after} />
  const hunks = lineHunks(lines, context)
  if (hunks.length === 0) {
    return <EmptyState title="No line is different">The contract was deployed again with the same code.</EmptyState>
  }
  return (
    <>
      <p className="panel-text counts">
        <Badge tone="good">{`+${lines.filter(({ kind }) => kind === 'new').length}`}</Badge>{' '}
        {!isFirst && <Badge tone="bad">{`−${lines.filter(({ kind }) => kind === 'old').length}`}</Badge>}
      </p>
      <Differences before={before} after={after} hunks={hunks} />
    </>
  )
})

/** Marks all lines as new. @returns `undefined` if there are more than the page can mark */
function newLines(text: string): DifferentLine[] | undefined {
  const lines = text.split('\n')
  return lines.length > maxOneSidedLines ? undefined : lines.map((line) => ({ kind: 'new', text: line }))
}

interface UnmarkedProps {
  /** Undefined for the first version. */
  readonly before: string | undefined
  readonly after: string
}

/** Both versions as plain text: too many lines differ to mark them. */
function Unmarked({ before, after }: UnmarkedProps): ReactNode {
  const version = (title: string, code: string): ReactNode => (
    <div>
      <h3>{title}</h3>
      <div className="code-scroll" tabIndex={0} role="group" aria-label={title}>
        <pre>{code}</pre>
      </div>
    </div>
  )
  return (
    <>
      <p className="panel-text">
        {before === undefined
          ? `This version has more than ${formatCount(maxOneSidedLines, 'line')}, so they are shown without marks.`
          : 'The versions differ in more lines than can be marked (limit: ' +
            `${formatCount(maxEdits, 'changed line')}, less for very long code). Both are shown in full.`}
      </p>
      <div className="unmarked">
        {before !== undefined && version('Earlier version', before)}
        {version('This version', after)}
      </div>
    </>
  )
}

const signs = { same: ' ', old: '−', new: '+' } as const

interface DifferencesProps {
  readonly before: string
  readonly after: string
  readonly hunks: readonly LineHunk[]
}

/** The lines of two codes that differ, with the numbers that they have in each and some lines around them. */
const Differences = memo(function Differences({ before, after, hunks }: DifferencesProps): ReactNode {
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
