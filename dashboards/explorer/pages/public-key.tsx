import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import type { PageProps } from '../pages.ts'
import { AccountLink, BlockLink, Identity } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { useList } from '../queries.ts'
import { shorten } from '../text.ts'

const columns = [
  { name: 'Account' },
  { name: 'Index', isNumber: true },
  { name: 'Algorithms' },
  { name: 'Added in block' },
  { name: 'State' },
]

/** The accounts that have a public key. */
export function PublicKeyPage({ values: { publicKey = '' } }: PageProps): ReactNode {
  const list = useList('/flow/key/{publicKey}', { publicKey, limit: 25 })
  return (
    <>
      <PageTitle kind="Public key" title={shorten(publicKey)}>
        <Identity id={publicKey} what="public key" hasCopy />
      </PageTitle>
      <ListPanel
        list={list}
        what="accounts with this key"
        columns={columns}
        renderRow={(key) => (
          <Row key={`${key.address} ${key.key_index}`}>
            <RowName>
              <AccountLink address={key.address} />
            </RowName>
            <Cell label="Index" className="number">
              {key.key_index}
            </Cell>
            <Cell label="Algorithms">
              {key.signing_algorithm ?? '–'}{' '}
              <span className="soft">with {key.hashing_algorithm ?? 'an unknown hash'}</span>
            </Cell>
            <Cell label="Added in block">
              {key.added_height === null ? (
                <span className="soft">not indexed</span>
              ) : (
                <BlockLink height={key.added_height} />
              )}
            </Cell>
            <Cell label="State">
              {key.revoked ? <Badge tone="bad">Revoked</Badge> : <Badge tone="good">Valid</Badge>}
            </Cell>
          </Row>
        )}
      />
    </>
  )
}
