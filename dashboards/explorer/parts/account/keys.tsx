import type { ReactNode } from 'react'
import { Badge } from '../../../kit/badge.tsx'
import { NothingHere } from '../../../kit/state.tsx'
import { Cell, ColumnName, Row, RowName, Table, TableBody, TableHead } from '../../../kit/table.tsx'
import type { AccountDetail } from '../../gen/answers.ts'
import { paths } from '../../paths.ts'
import { Identity } from '../identity.tsx'

/** The keys that may sign for an account; a thousand of weight is enough. */
export function AccountKeys({ keys }: { readonly keys: AccountDetail['keys'] }): ReactNode {
  return (
    <section className="panel list" aria-label="Keys">
      {keys.length === 0 ? (
        <NothingHere title="No keys">Nobody can sign for this account by a key.</NothingHere>
      ) : (
        <Table className="cards-when-narrow" aria-label="Keys">
          <TableHead>
            <ColumnName>Index</ColumnName>
            <ColumnName>Public key</ColumnName>
            <ColumnName>Algorithms</ColumnName>
            <ColumnName className="number">Weight</ColumnName>
            <ColumnName>State</ColumnName>
          </TableHead>
          <TableBody>
            {keys.map(({ index, key, signatureAlgorithm, hashAlgorithm, weight, revoked }) => (
              <Row key={index}>
                <RowName>{index}</RowName>
                <Cell label="Public key">
                  {key === null ? (
                    <span className="soft">not known</span>
                  ) : (
                    <Identity id={key} to={paths.publicKey(key)} what="public key" hasCopy />
                  )}
                </Cell>
                <Cell label="Algorithms">
                  <span>
                    {signatureAlgorithm ?? '–'} <span className="soft">with {hashAlgorithm ?? 'an unknown hash'}</span>
                  </span>
                </Cell>
                <Cell label="Weight" className="number">
                  {weight ?? '–'}
                </Cell>
                <Cell label="State">
                  {revoked ? <Badge tone="bad">Revoked</Badge> : <Badge tone="good">Valid</Badge>}
                </Cell>
              </Row>
            ))}
          </TableBody>
        </Table>
      )}
    </section>
  )
}
