import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Form } from '../../kit/controls.tsx'
import { useSearchValue } from '../../kit/router.tsx'
import type { Column } from '../../kit/table.tsx'
import { Age } from '../../kit/time.tsx'
import type { Event } from '../answers.gen.ts'
import { useList } from '../api.ts'
import { dayFilter, useFilterValues } from '../parts/filters.tsx'
import { TableList } from '../parts/lists.tsx'
import { PageTitle } from '../parts/page.tsx'
import { BlockLink, ContractLink, NoValue, TransactionLink, ValueTree } from '../parts/values.tsx'
import { contractOf } from '../text.ts'

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
        {name}
      </span>
    ),
  },
  {
    name: 'Fields',
    cell: ({ payload }) => (payload === null ? <NoValue /> : <ValueTree value={payload} />),
  },
  {
    name: 'Transaction',
    cell: ({ transaction: id, block_height: height }) => <TransactionLink id={id} height={height} />,
  },
  { name: 'Block', cell: ({ block_height: height }) => <BlockLink height={height} />, isNumber: true },
  { name: 'Age', cell: ({ timestamp }) => <Age since={timestamp} />, isNumber: true },
]

const filters = [dayFilter]

const examples = ['TokensDeposited', 'AccountCreated', 'ContractUpdated', 'Swap']

export function EventsPage(): ReactNode {
  const [name, search] = useSearchValue('name')
  return (
    <>
      <PageTitle title="Events" />
      <p className="lead">
        Contracts and the protocol report by events what a transaction did. Search by a full type, such as
        <code> A.1654653399040a61.FlowToken.TokensDeposited</code>, or by a part of the contract and event name.
      </p>
      <section className="panel" aria-label="Search events">
        <EventSearch key={name} name={name} onSearch={search} />
      </section>
      {name !== '' && <FoundEvents name={name} />}
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
          placeholder="Event type or part of its name"
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
      <div className="button-row">
        <span className="soft">Examples</span>
        {examples.map((example) => (
          <Button key={example} isSmall onClick={() => onSearch(example)}>
            {example}
          </Button>
        ))}
      </div>
    </Form>
  )
}

function FoundEvents({ name }: { readonly name: string }): ReactNode {
  return (
    <TableList
      list={useList('/flow/events/search', { ...useFilterValues(filters), name, limit: 25 })}
      filters={filters}
      what="events"
      columns={columns}
      itemKey={({ transaction, block_height: height, event_index: index }) => `${height} ${transaction} ${index}`}
      emptyText="No indexed event has this type. Check its spelling, or search for a shorter part of it."
    />
  )
}
