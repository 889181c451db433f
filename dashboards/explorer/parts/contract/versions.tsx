import type { ReactNode } from 'react'
import { Badge } from '../../../kit/badge.tsx'
import { Failure, Loading } from '../../../kit/state.tsx'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { problemText } from '../../api.ts'
import { compareLines } from '../../line-differences.ts'
import type { DifferentLine } from '../../line-differences.ts'
import { itemsOf, useAnswer, useList } from '../../queries.ts'
import { useSearchValue } from '../../router.ts'
import { BlockLink, TransactionLink } from '../identity.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Moment } from '../moment.tsx'

const columns = [{ name: 'Version' }, { name: 'Transaction' }, { name: 'Block' }, { name: 'Time' }, { name: 'Code' }]
/** Lines that stay the same are shown so far around those that do not. */
const context = 3

/** All versions of a contract, and what one of them changed. */
export function Versions({ identifier }: { readonly identifier: string }): ReactNode {
  const list = useList('/flow/contract/{identifier}/version', { identifier, limit: 50 })
  const [chosen, choose] = useSearchValue('version')
  const newest = itemsOf(list)[0]?.version
  const version = /^\d+$/.test(chosen) ? Number(chosen) : newest
  return (
    <>
      <ListPanel
        list={list}
        what="versions"
        columns={columns}
        whenEmpty="Nothing is known of when this contract was deployed."
        renderRow={(item) => (
          <Row key={item.version}>
            <RowName>
              {item.version} <Badge tone={item.change === 'added' ? 'good' : 'busy'}>{item.change}</Badge>
            </RowName>
            <Cell label="Transaction">
              <TransactionLink id={item.transaction_id} />
            </Cell>
            <Cell label="Block">
              <BlockLink height={item.block_height} />
            </Cell>
            <Cell label="Time">
              <Moment at={item.created_at} />
            </Cell>
            <Cell label="Code">
              <button
                type="button"
                className="button small"
                aria-pressed={item.version === version}
                onClick={() => choose(String(item.version))}
              >
                What changed
              </button>
            </Cell>
          </Row>
        )}
      />
      {version !== undefined && <Differences identifier={identifier} version={version} />}
    </>
  )
}

interface DifferencesProps {
  readonly identifier: string
  readonly version: number
}

function Differences({ identifier, version }: DifferencesProps): ReactNode {
  const path = '/flow/contract/{identifier}/version/{version}'
  const after = useAnswer(path, { identifier, version })
  const before = useAnswer(path, { identifier, version: version - 1 }, { isOn: version > 1 })
  const error = after.error ?? before.error
  if (error !== null) return <Failure title="Could not load the code" detail={problemText(error)} />
  if (after.data === undefined || (version > 1 && before.data === undefined)) return <Loading label="Loading the code" rows={6} />
  const code = after.data.data[0]?.code ?? null
  const old = version > 1 ? (before.data?.data[0]?.code ?? null) : ''
  if (code === null || old === null) return <p className="panel panel-text soft">The code of this version is not kept here.</p>
  const lines = compareLines(old, code)
  const count = (kind: DifferentLine['kind']): number => lines.filter((line) => line.kind === kind).length
  return (
    <section className="panel" aria-label={`What version ${version} changed`}>
      <header>
        <h2>{version > 1 ? `What version ${version} changed` : 'The first version'}</h2>
        <Badge tone="good">{`+${count('new')}`}</Badge>
        {version > 1 && <Badge tone="bad">{`−${count('old')}`}</Badge>}
      </header>
      <div className="code-scroll" tabIndex={0} role="group" aria-label="Lines">
        <pre className="differences">
          {nearChanges(lines).map((line, i) =>
            line === undefined ? (
              <span key={i} className="gap">
                {'  …\n'}
              </span>
            ) : (
              <span key={i} className={line.kind}>
                {`${{ same: ' ', old: '−', new: '+' }[line.kind]} ${line.text}\n`}
              </span>
            ),
          )}
        </pre>
      </div>
    </section>
  )
}

/** The lines that changed with some around them; undefined stands for those that are left out. */
function nearChanges(lines: readonly DifferentLine[]): (DifferentLine | undefined)[] {
  const isNear = lines.map(() => false)
  for (const [i, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(true, Math.max(0, i - context), i + context + 1)
  }
  const shown: (DifferentLine | undefined)[] = []
  for (const [i, line] of lines.entries()) {
    if (isNear[i] === true) shown.push(line)
    else if (i === 0 || isNear[i - 1] === true) shown.push(undefined)
  }
  return shown
}
