import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { Badge } from '../../kit/badge.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { Contract } from '../gen/answers.ts'
import { AccountLink, ContractLink } from './identity.tsx'
import type { Column } from './list-panel.tsx'

export const contractColumns: readonly Column[] = [
  { name: 'Contract' },
  { name: 'Account' },
  { name: 'Kind' },
  { name: 'Used by', isNumber: true },
  { name: 'Updated', isNumber: true },
]

const kinds = { FT: 'Token', NFT: 'NFTs', CONTRACT: 'Contract' } as const

export function ContractRow({ contract }: { readonly contract: Contract }): ReactNode {
  const { identifier, address, kind, status, imported_count: users, updated_at: updated } = contract
  return (
    <Row>
      <RowName>
        <ContractLink identifier={identifier} /> {status === 'removed' && <Badge tone="warn">Removed</Badge>}
      </RowName>
      <Cell label="Account">
        <AccountLink address={address} />
      </Cell>
      <Cell label="Kind">{kind === null ? <span className="soft">–</span> : <Badge>{kinds[kind]}</Badge>}</Cell>
      <Cell label="Used by" className="number">
        {formatNumber(users)}
      </Cell>
      <Cell label="Updated" className="number">
        {updated === null ? '–' : <Age since={updated} />}
      </Cell>
    </Row>
  )
}
