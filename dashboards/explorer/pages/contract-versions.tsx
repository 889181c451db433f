import { memo, useId, useMemo, Fragment } from 'react'
import type { ReactNode } from 'react'
import { readCadenceLines } from '../../kit/code-tokens.ts'
import { Tokens } from '../../kit/code.tsx'
import { Badge } from '../../kit/controls.tsx'
import { formatCount } from '../../kit/formats.ts'
import { compareLines, maxEdits, maxOneSidedLines, lineHunks } from '../../kit/line-differences.ts'
import type { DifferentLine, LineHunk, NumberedLine } from '../../kit/line-differences.ts'
import { useSearchValue } from '../../kit/router.tsx'
import { Loading, EmptyState } from '../../kit/state.tsx'
import { useApi } from '../api.ts'
import { LoadError } from '../parts/lists.tsx'

const contextLines = 3

interface VersionDifferencesProps {
  readonly identifier: string
  readonly version: number
  readonly versions: readonly number[]
}

export function VersionDifferences({ identifier, version, versions }: VersionDifferencesProps): ReactNode {
  const [chosen, choose] = useSearchValue('against')
  const earlier = versions.filter((other) => other < version)
  const against = earlier.find((other) => String(other) === chosen) ?? earlier[0]
  const path = '/flow/contract/{identifier}/version/{version}'
  const after = useApi(path, { identifier, version })
  const before = useApi(path, { identifier, version: against }, { isEnabled: against !== undefined })
  const failed = [after, before].find(({ isError }) => isError)
  const isLoading = after.data === undefined || (against !== undefined && before.data === undefined)
  return (
    <section
      className="panel"
      aria-label={`Changes in version ${version}`}
      aria-busy={isLoading && failed === undefined}
    >
      <header>
        <h2>{against === undefined ? `First indexed version: ${version}` : `Version ${version} compared with`}</h2>
        {against !== undefined && <VersionSelect versions={earlier} selected={against} onSelect={choose} />}
      </header>
      {failed !== undefined && (
        <LoadError error={failed.error} what="the code of this version" onRetry={() => void failed.refetch()} />
      )}
      {failed === undefined && isLoading && <Loading label="Loading code…" rows={6} />}
      {failed === undefined && !isLoading && (
        <Comparison
          before={against === undefined ? '' : (before.data?.data[0]?.code ?? null)}
          after={after.data.data[0]?.code ?? null}
          isFirst={against === undefined}
        />
      )}
    </section>
  )
}

interface VersionSelectProps {
  readonly versions: readonly number[]
  readonly selected: number
  readonly onSelect: (version: string) => void
}

function VersionSelect({ versions, selected, onSelect }: VersionSelectProps): ReactNode {
  const id = useId()
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        Compare with version
      </label>
      <select id={id} className="input" value={selected} onChange={(event) => onSelect(event.target.value)}>
        {versions.map((version) => (
          <option key={version} value={version}>
            version {version}
          </option>
        ))}
      </select>
    </>
  )
}

interface ComparisonProps {
  readonly before: string | null
  readonly after: string | null
  readonly isFirst: boolean
}

const Comparison = memo(function Comparison({ before, after, isFirst }: ComparisonProps): ReactNode {
  const lines = useMemo(() => {
    if (before === null || after === null) return []
    return isFirst ? newLines(after) : compareLines(before, after)
  }, [before, after, isFirst])
  if (before === null || after === null) {
    return <EmptyState title="Code not available">The code of this version is not stored.</EmptyState>
  }
  if (lines === undefined) return <PlainVersions before={isFirst ? undefined : before} after={after} />
  const hunks = lineHunks(lines, contextLines)
  if (hunks.length === 0) {
    return <EmptyState title="No changes">The contract was deployed again with the same code.</EmptyState>
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

/** @returns `undefined` if there are too many lines to highlight */
function newLines(text: string): DifferentLine[] | undefined {
  const lines = text.split('\n')
  return lines.length > maxOneSidedLines ? undefined : lines.map((line) => ({ kind: 'new', text: line }))
}

interface PlainVersionsProps {
  readonly before: string | undefined
  readonly after: string
}

function PlainVersions({ before, after }: PlainVersionsProps): ReactNode {
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
          ? `This version has more than ${formatCount(maxOneSidedLines, 'line')}, so changes are not highlighted.`
          : `Too many changes to highlight (limit: ${formatCount(maxEdits, 'changed line')}, less for long code). ` +
            'Both versions are shown in full.'}
      </p>
      <div className="plain-versions">
        {before !== undefined && version('Earlier version', before)}
        {version('This version', after)}
      </div>
    </>
  )
}

const prefixes = { same: ' ', old: '−', new: '+' } as const

interface DifferencesProps {
  readonly before: string
  readonly after: string
  readonly hunks: readonly LineHunk[]
}

const Differences = memo(function Differences({ before, after, hunks }: DifferencesProps): ReactNode {
  const [oldLines, newerLines] = [readCadenceLines(before), readCadenceLines(after)]
  const tokensOf = (line: NumberedLine): ReactNode => (
    <Tokens tokens={(line.after === undefined ? oldLines[(line.before ?? 0) - 1] : newerLines[line.after - 1]) ?? []} />
  )
  return (
    <div className="code-scroll" tabIndex={0} role="group" aria-label="Lines">
      <pre className="differences">
        {hunks.map(({ lines, skipped }, n) => (
          <Fragment key={n}>
            {skipped > 0 && <span className="gap">{`⋯ ${formatCount(skipped, 'unchanged line')}\n`}</span>}
            {lines.map((line) => (
              <span key={`${line.before ?? ''} ${line.after ?? ''}`} className={line.kind}>
                <i aria-hidden="true">{line.before}</i>
                <i aria-hidden="true">{line.after}</i>
                {`${prefixes[line.kind]} `}
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
