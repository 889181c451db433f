import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Form } from '../../kit/controls.tsx'
import { formatNumber, formatCount } from '../../kit/formats.ts'
import { Link, navigate } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import { useList, useApi } from '../api.ts'
import type { ItemOf } from '../api.ts'
import type { PageProps } from '../pages.ts'
import { dayFilter, useFilterValues } from '../parts/filters.tsx'
import { CardList, ItemResult, TableList } from '../parts/lists.tsx'
import { PageTitle, UrlTabs, Detail, DetailList } from '../parts/page.tsx'
import { TransactionList } from '../parts/rows.tsx'
import { Amount, BlockLink, Identity, Moment, NoValue, ValueTree } from '../parts/values.tsx'
import { paths } from '../text.ts'

const columns: readonly Column<ItemOf<'/flow/block'>>[] = [
  { name: 'Block', cell: ({ height }) => <BlockLink height={height} />, inCards: 'top' },
  {
    name: 'ID',
    cell: ({ id, height }) => <Identity id={id} to={paths.block(height)} what="Block" />,
    inCards: 'hidden',
  },
  {
    name: 'Transactions',
    cell: ({ tx_count: count }) => (
      <>
        {formatNumber(count)}
        <span className="narrow-only">{count === 1 ? ' transaction' : ' transactions'}</span>
      </>
    ),
    isNumber: true,
    inCards: 'bottom',
  },
  {
    name: 'Events',
    cell: ({ event_count: count }) => (
      <>
        {formatNumber(count)}
        <span className="narrow-only">{count === 1 ? ' event' : ' events'}</span>
      </>
    ),
    isNumber: true,
    inCards: 'bottom-end',
  },
  {
    name: 'Computation',
    cell: ({ total_gas_used: used }) => (used === null ? <NoValue /> : formatNumber(used)),
    isNumber: true,
    inCards: 'hidden',
  },
  { name: 'Fees in FLOW', cell: ({ fees }) => <Amount amount={fees} />, isNumber: true, inCards: 'hidden' },
  { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true, inCards: 'top-end' },
]

const filters = [dayFilter]

export function BlocksPage(): ReactNode {
  const { data: status } = useApi('/status')
  return (
    <>
      <PageTitle title="Blocks" aside={<GoToHeight />} />
      <TableList
        list={useList('/flow/block', { limit: 25, ...useFilterValues(filters) })}
        filters={filters}
        total={status && { count: status.total_blocks }}
        what="blocks"
        columns={columns}
        itemKey={({ height }) => height}
        emptyText="Blocks will appear here as soon as the ingester stores them."
      />
    </>
  )
}

function GoToHeight(): ReactNode {
  const [height, setHeight] = useState('')
  return (
    <Form className="button-row" onSubmit={() => navigate(paths.block(height))}>
      <input
        className="input height"
        inputMode="numeric"
        pattern="[0-9]{1,15}"
        title="A height, digits only"
        placeholder="Height"
        aria-label="Block height"
        required
        value={height}
        onChange={({ target }) => setHeight(target.value.replaceAll(/[,\s]/g, ''))}
      />
      <Button type="submit">Go to block</Button>
    </Form>
  )
}

export function BlockPage({ values: { height = '' } }: PageProps): ReactNode {
  const query = useApi('/flow/block/{height}', { height })
  const block = query.data?.data[0]
  const number = block?.height ?? Number(height)
  return (
    <>
      <PageTitle
        kind="Block"
        title={Number.isSafeInteger(number) ? formatNumber(number) : height}
        aside={
          block !== undefined && (
            <nav className="button-row" aria-label="Adjacent blocks">
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
        <ItemResult query={query} what={`block ${height}`} rows={6}>
          {(found) => (
            <DetailList>
              <Detail name="ID">
                <Identity id={found.id} what="block ID" isWhole hasCopy />
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
                {formatNumber(found.tx_count)} in {formatCount(found.collections.length, 'collection')} and the system
                collection
              </Detail>
              <Detail name="Events">{formatNumber(found.event_count)}</Detail>
              <Detail name="Computation">
                {found.total_gas_used === null ? <NoValue /> : formatNumber(found.total_gas_used)}
              </Detail>
              <Detail name="Fees">
                <Amount amount={found.fees} unit="FLOW" />
              </Detail>
            </DetailList>
          )}
        </ItemResult>
      </section>
      {block !== undefined && (
        <UrlTabs
          label="Block"
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
  return <TransactionList list={list} emptyText="This block has no transactions." />
}

interface CollectionsProps {
  readonly height: number
  readonly collections: readonly { readonly id: string; readonly transaction_ids: readonly string[] }[]
}

function Collections({ height, collections }: CollectionsProps): ReactNode {
  return (
    <section className="panel" aria-label="collections">
      {collections.length === 0 && <p className="panel-text soft">This block has no collections.</p>}
      {collections.map(({ id, transaction_ids: transactions }) => (
        <div key={id} className="panel-text">
          <h3>
            <Identity id={id} what="collection ID" hasCopy />
          </h3>
          <ul className="chips">
            {transactions.map((transaction) => (
              <li key={transaction}>
                <Identity id={transaction} to={paths.transaction(transaction, height)} what="Transaction" />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

function ServiceEvents({ height }: { readonly height: number }): ReactNode {
  return (
    <CardList
      list={useList('/flow/block/{height}/service-event', { height })}
      what="service events"
      emptyText="Only blocks with protocol changes have service events, such as the start of an epoch."
      renderCard={({ name, fields }) => (
        <li key={name} className="panel-text">
          <h3>{name}</h3>
          <ValueTree value={fields} />
        </li>
      )}
    />
  )
}
