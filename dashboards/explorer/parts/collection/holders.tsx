import type { ReactNode } from 'react'
import { formatNumber } from '../../../kit/formats.ts'
import { Cell, Row, RowName } from '../../../kit/table.tsx'
import { useList } from '../../queries.ts'
import { AccountLink } from '../identity.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Share } from '../share.tsx'

const columns = [{ name: 'Account' }, { name: 'Items', isNumber: true }, { name: 'Part of all items', isNumber: true }]

export function CollectionHolders({ type }: { readonly type: string }): ReactNode {
  const list = useList('/flow/nft/{nft_type}/holding', { nft_type: type, limit: 25 })
  return (
    <ListPanel
      list={list}
      what="holders"
      columns={columns}
      whenEmpty="Nobody holds an item of this collection."
      renderRow={({ owner, count, percentage }) => (
        <Row key={owner}>
          <RowName>
            <AccountLink address={owner} />
          </RowName>
          <Cell label="Items" className="number">
            {formatNumber(count)}
          </Cell>
          <Cell label="Part of all items" className="number">
            <Share part={percentage} />
          </Cell>
        </Row>
      )}
    />
  )
}
