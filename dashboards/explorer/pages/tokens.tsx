import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { Amount } from '../parts/amount.tsx'
import { ListFilter } from '../parts/list-filter.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { TokenName } from '../parts/token-name.tsx'
import { useList } from '../queries.ts'
import { useSearchValue } from '../../kit/router.ts'
import { formatDollars } from '../text.ts'

const columns = [
  { name: 'Token' },
  { name: 'Price', isNumber: true },
  { name: 'Holders', isNumber: true },
  { name: 'Transfers', isNumber: true },
  { name: 'Supply', isNumber: true },
]

export function TokensPage(): ReactNode {
  const [search] = useSearchValue('search')
  const list = useList('/flow/ft', { limit: 25, search })
  return (
    <>
      <PageTitle title="Tokens" aside={<ListFilter label="Name or symbol" />} />
      <ListPanel
        list={list}
        what="tokens"
        columns={columns}
        whenEmpty={
          search === '' ? 'Tokens show up with their first transfer.' : 'No token is called so. Try less of the name.'
        }
        renderRow={(token) => (
          <Row key={token.id}>
            <RowName>
              <TokenName id={token.id} token={token}>
                {token.is_verified && <Badge tone="good">Verified</Badge>}
              </TokenName>
            </RowName>
            <Cell label="Price" className="number">
              {token.current_price === null ? <span className="soft">–</span> : formatDollars(token.current_price)}
            </Cell>
            <Cell label="Holders" className="number">
              {formatNumber(token.holder_count)}
            </Cell>
            <Cell label="Transfers" className="number">
              {formatNumber(token.transfer_count)}
            </Cell>
            <Cell label="Supply" className="number">
              <Amount amount={token.total_supply} decimals={2} />
            </Cell>
          </Row>
        )}
      />
    </>
  )
}
