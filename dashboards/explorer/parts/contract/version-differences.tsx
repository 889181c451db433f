import { useId } from 'react'
import type { ReactNode } from 'react'
import { Badge } from '../../../kit/badge.tsx'
import { Loading, NothingHere } from '../../../kit/state.tsx'
import { compareLines } from '../../line-differences.ts'
import { lineHunks } from '../../line-hunks.ts'
import { useAnswer } from '../../queries.ts'
import { useSearchValue } from '../../../kit/router.ts'
import { Trouble } from '../answer.tsx'
import { Differences } from './differences.tsx'

/** Lines that stay the same are shown so far around those that do not. */
const context = 3

export interface VersionDifferencesProps {
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
    <section className="panel" aria-label={`What version ${version} changed`} aria-busy={isWaiting && failed === undefined}>
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

function Compared({ before, after, isFirst }: ComparedProps): ReactNode {
  if (before === null || after === null) {
    return <NothingHere title="The code is not kept here">It is known only that the contract was changed, not how.</NothingHere>
  }
  const lines = isFirst ? after.split('\n').map((text) => ({ kind: 'new' as const, text })) : compareLines(before, after)
  const hunks = lineHunks(lines, context)
  if (hunks.length === 0) {
    return <NothingHere title="No line is different">The contract was deployed again with the same code.</NothingHere>
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
}
