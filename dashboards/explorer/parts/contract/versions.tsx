import type { ReactNode } from 'react'
import { Badge } from '../../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { itemsOf, useList } from '../../queries.ts'
import { useSearchValue } from '../../../kit/router.ts'
import { humanize } from '../../text.ts'
import { BlockLink, TransactionLink } from '../identity.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Moment } from '../moment.tsx'
import { VersionDifferences } from './version-differences.tsx'

const columns = [
  { name: 'Version' },
  { name: 'Transaction' },
  { name: 'Block' },
  { name: 'Time' },
  { name: 'Code', isNumber: true },
]
const tones = { added: 'good', updated: 'busy' } as const

/** All versions of a contract, and what one of them changed. */
export function Versions({ identifier }: { readonly identifier: string }): ReactNode {
  const list = useList('/flow/contract/{identifier}/version', { identifier, limit: 50 })
  const [chosen, choose] = useSearchValue('version')
  const versions = itemsOf(list).map(({ version }) => version)
  const version = versions.find((each) => String(each) === chosen) ?? versions[0]
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
              {item.version} <Badge tone={tones[item.change]}>{humanize(item.change)}</Badge>
            </RowName>
            <Cell label="Transaction">
              <TransactionLink id={item.transaction_id} height={item.block_height} />
            </Cell>
            <Cell label="Block">
              <BlockLink height={item.block_height} />
            </Cell>
            <Cell label="Time">
              <Moment at={item.created_at} />
            </Cell>
            <Cell label="Code" className="number">
              <button
                type="button"
                className="button small"
                aria-pressed={item.version === version}
                onClick={() => choose(String(item.version))}
              >
                What changed<span className="visually-hidden"> in version {item.version}</span>
              </button>
            </Cell>
          </Row>
        )}
      />
      {version !== undefined && <VersionDifferences identifier={identifier} version={version} versions={versions} />}
    </>
  )
}
