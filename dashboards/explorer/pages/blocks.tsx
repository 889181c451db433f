import type { ReactNode } from 'react'
import { Age } from '../../kit/time.tsx'
import { formatNumber, formatCount } from '../../kit/formats.ts'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { Amount, BlockLink, Identity, Moment, ValueTree } from '../parts/values.tsx'
import { ListPanel, Answer } from '../parts/lists.tsx'
import { PageTitle, AddressTabs, Detail, DetailList } from '../parts/page.tsx'
import { paths } from '../text.ts'
import { useList, useAnswer } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { Link } from '../../kit/router.tsx'
import { TransactionRow, transactionColumns } from '../parts/rows.tsx'

const columns = [
  { name: 'Block' },
  { name: 'Id' },
  { name: 'Transactions', isNumber: true },
  { name: 'Events', isNumber: true },
  { name: 'Computation', isNumber: true },
  { name: 'Fees in FLOW', isNumber: true },
  { name: 'Age', isNumber: true },
]

export function BlocksPage(): ReactNode {
  const list = useList('/flow/block', { limit: 25 })
  return (
    <>
      <PageTitle title="Blocks" />
      <ListPanel
        list={list}
        what="blocks"
        columns={columns}
        whenEmpty="The first ones show up as soon as the ingester has stored them."
        renderRow={(block) => (
          <Row key={block.height}>
            <RowName>
              <BlockLink height={block.height} />
            </RowName>
            <Cell label="Id" className="wide-only">
              <Identity id={block.id} to={paths.block(block.height)} what="Block" />
            </Cell>
            <Cell label="Transactions" className="number">
              {formatNumber(block.tx_count)}
            </Cell>
            <Cell label="Events" className="number">
              {formatNumber(block.event_count)}
            </Cell>
            <Cell label="Computation" className="number wide-only">
              {block.total_gas_used === null ? '–' : formatNumber(block.total_gas_used)}
            </Cell>
            <Cell label="Fees in FLOW" className="number">
              <Amount amount={block.fees} />
            </Cell>
            <Cell label="Age" className="number">
              <Age since={block.timestamp} />
            </Cell>
          </Row>
        )}
      />
    </>
  )
}

export function BlockPage({ values: { height = '' } }: PageProps): ReactNode {
  const query = useAnswer('/flow/block/{height}', { height })
  const block = query.data?.data[0]
  const number = block?.height ?? Number(height)
  return (
    <>
      <PageTitle
        kind="Block"
        title={Number.isSafeInteger(number) ? formatNumber(number) : height}
        aside={
          block !== undefined && (
            <nav className="button-row" aria-label="Neighbours">
              {block.height > 0 && (
                <Link className="button" to={paths.block(block.height - 1)}>
                  Previous
                </Link>
              )}
              <Link className="button" to={paths.block(block.height + 1)}>
                Next
              </Link>
            </nav>
          )
        }
      />
      <section className="panel" aria-label="Block">
        <Answer query={query} what={`block ${height}`} rows={6}>
          {({ data: [found] }) =>
            found !== undefined && (
              <DetailList>
                <Detail name="Id">
                  <Identity id={found.id} what="block id" isWhole hasCopy />
                </Detail>
                <Detail name="Parent">
                  <Identity
                    id={found.parent_id}
                    what="Parent"
                    isWhole
                    {...(found.height > 0 ? { to: paths.block(found.height - 1) } : {})}
                  />
                </Detail>
                <Detail name="Time">
                  <Moment at={found.timestamp} />
                </Detail>
                <Detail name="Transactions">
                  {formatNumber(found.tx_count)} in {formatCount(found.collections.length, 'collection')} and the
                  system's own
                </Detail>
                <Detail name="Events">{formatNumber(found.event_count)}</Detail>
                <Detail name="Computation">
                  {found.total_gas_used === null ? '–' : formatNumber(found.total_gas_used)}
                </Detail>
                <Detail name="Fees">
                  <Amount amount={found.fees} unit="FLOW" />
                </Detail>
              </DetailList>
            )
          }
        </Answer>
      </section>
      {block !== undefined && (
        <AddressTabs
          label="Parts of the block"
          tabs={[
            { name: 'transactions', label: 'Transactions', render: () => <Transactions height={block.height} /> },
            {
              name: 'collections',
              label: 'Collections',
              render: () => <Collections height={block.height} collections={block.collections} />,
            },
            { name: 'service', label: 'Service events', render: () => <ServiceEvents height={block.height} /> },
          ]}
        />
      )}
    </>
  )
}

function Transactions({ height }: { readonly height: number }): ReactNode {
  const list = useList('/flow/block/{height}/transaction', { height })
  return (
    <ListPanel
      list={list}
      what="transactions"
      columns={transactionColumns}
      whenEmpty="Nobody sent anything in this block."
      renderRow={(transaction) => <TransactionRow key={transaction.id} transaction={transaction} />}
    />
  )
}

interface CollectionsProps {
  readonly height: number
  readonly collections: readonly { readonly id: string; readonly transaction_ids: readonly string[] }[]
}

function Collections({ height, collections }: CollectionsProps): ReactNode {
  return (
    <section className="panel" aria-label="collections">
      {collections.length === 0 && <p className="panel-text soft">This block guarantees no collection.</p>}
      {collections.map(({ id, transaction_ids: ids }) => (
        <div key={id} className="panel-text">
          <h3>
            <Identity id={id} what="collection id" hasCopy />
          </h3>
          <ul className="chips">
            {ids.map((each) => (
              <li key={each}>
                <Identity id={each} to={paths.transaction(each, height)} what="Transaction" />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

function ServiceEvents({ height }: { readonly height: number }): ReactNode {
  const list = useList('/flow/block/{height}/service-event', { height })
  return (
    <ListPanel
      list={list}
      what="service events"
      whenEmpty="Only blocks in which the protocol changes something have them: at the turn of an epoch, for example."
      renderRow={({ name, fields }) => (
        <li key={name} className="panel-text">
          <h3>{name}</h3>
          <ValueTree value={fields} />
        </li>
      )}
    />
  )
}
