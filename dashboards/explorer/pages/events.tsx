import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Form } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link, useSearchValue } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import type { Event, EventType } from '../answers.gen.ts'
import { useList } from '../api.ts'
import { dayFilter, useFilterValues } from '../parts/filters.tsx'
import { TableList } from '../parts/lists.tsx'
import { PageTitle, UrlTabs } from '../parts/page.tsx'
import { BlockLink, ContractLink, NoValue, TransactionLink, ValueTree } from '../parts/values.tsx'
import { contractOf, paths } from '../text.ts'

const columns: readonly Column<Event>[] = [
  {
    name: 'Event',
    cell: ({ type, event_name: name, contract_address: address }) => (
      <span className="wrap" title={type}>
        {address !== null && (
          <>
            <ContractLink identifier={contractOf(type)} />.
          </>
        )}
        <Link to={paths.events(type)}>{name}</Link>
      </span>
    ),
  },
  {
    name: 'Fields',
    cell: ({ payload }) => <Fields payload={payload} />,
  },
  {
    name: 'Transaction',
    cell: ({ transaction: id, block_height: height }) => <TransactionLink id={id} height={height} />,
  },
  { name: 'Block', cell: ({ block_height: height }) => <BlockLink height={height} />, isNumber: true },
  { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true },
]

const maxFields = 4

function Fields({ payload }: Pick<Event, 'payload'>): ReactNode {
  if (payload === null || payload === undefined) return <NoValue />
  const fields = Object.entries(payload)
  if (fields.length <= maxFields + 1) return <ValueTree value={payload} />
  return (
    <div>
      <ValueTree value={Object.fromEntries(fields.slice(0, maxFields))} />
      <details>
        <summary>{fields.length - maxFields} more fields</summary>
        <ValueTree value={Object.fromEntries(fields.slice(maxFields))} />
      </details>
    </div>
  )
}

const filters = [dayFilter]

const typeColumns: readonly Column<EventType>[] = [
  {
    name: 'Event',
    cell: ({ type, event_name: name }) => (
      <Link className="wrap" to={paths.events(type)} title={type}>
        {name}
      </Link>
    ),
    inCards: 'top',
  },
  {
    name: 'Contract',
    cell: ({ type, contract_address: address }) =>
      address === null ? <span className="soft">Protocol</span> : <ContractLink identifier={contractOf(type)} />,
    inCards: 'bottom',
  },
  {
    name: 'Last in block',
    cell: ({ last_seen_height: height }) => <BlockLink height={height} />,
    isNumber: true,
    inCards: 'bottom-end',
  },
  { name: 'In 1,000 blocks', cell: ({ count }) => formatNumber(count), isNumber: true, inCards: 'top-end' },
  { name: 'All indexed', cell: ({ total_count: count }) => formatNumber(count), isNumber: true, inCards: 'hidden' },
]

export function EventsPage(): ReactNode {
  const [name, search] = useSearchValue('name')
  return (
    <>
      <PageTitle title="Events" />
      <p className="lead">Contracts and the protocol report by events what a transaction did.</p>
      <section className="panel" aria-label="Search events">
        <EventSearch key={name} name={name} onSearch={search} />
      </section>
      {name === '' ? (
        <UrlTabs
          label="Events"
          tabs={[
            { name: 'newest', label: 'Newest', render: () => <Events name="" /> },
            { name: 'types', label: 'Types', render: () => <EventTypes /> },
          ]}
        />
      ) : (
        <Events name={name} />
      )}
    </>
  )
}

interface EventSearchProps {
  readonly name: string
  readonly onSearch: (name: string) => void
}

function EventSearch({ name, onSearch }: EventSearchProps): ReactNode {
  const [text, setText] = useState(name)
  return (
    <Form className="search-form" onSubmit={() => onSearch(text.trim())}>
      <div className="button-row">
        <input
          className="input grow"
          type="search"
          aria-label="Event type or part of its name"
          placeholder="FlowToken.TokensDeposited, Swap or a full type"
          pattern={String.raw`\s*[\w.]{3,200}\s*`}
          title="3 to 200 letters, digits, dots or underscores"
          required
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" look="strong">
          Search
        </Button>
      </div>
    </Form>
  )
}

function Events({ name }: { readonly name: string }): ReactNode {
  return (
    <TableList
      list={useList('/flow/events/search', {
        ...useFilterValues(filters),
        ...(name === '' ? {} : { name }),
        limit: 25,
      })}
      filters={filters}
      what="events"
      columns={columns}
      itemKey={({ transaction, block_height: height, event_index: index }) => `${height} ${transaction} ${index}`}
      emptyText={
        name === ''
          ? 'Events will appear here.'
          : 'No indexed event has this type. Check its spelling, or search for a shorter part of it.'
      }
    />
  )
}

function EventTypes(): ReactNode {
  return (
    <TableList
      list={useList('/flow/events/type', { limit: 500 })}
      what="event types of the newest 1,000 blocks"
      columns={typeColumns}
      itemKey={({ type }) => type}
      emptyText="Types of events will appear here."
    />
  )
}
