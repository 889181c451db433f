import { expect } from 'chai'
import { defineWorker } from './define-worker.ts'
import type { ContractEvent, Write } from './define-worker.ts'

/** As generated: an interface without index signature. */
interface Events {
  Minted: { readonly id: string; readonly to: string | null }
  Sold: { readonly id: string; readonly price: string }
}

const tables = {
  items: { columns: { id: { type: 'numeric', index: true }, owner: { type: 'text', optional: true } } },
  sales: { columns: { id: { type: 'numeric' }, price: { type: 'numeric' }, at: { type: 'timestamptz' } } },
} as const

describe('defineWorker', () => {
  it('types events and rows', () => {
    const written: unknown[] = []
    const worker = defineWorker<Events>()({
      contract: 'A.0000000000000001.Shop',
      version: 1,
      events: ['Minted', 'Sold'],
      tables: {
        items: { columns: { id: { type: 'numeric', index: true }, owner: { type: 'text', optional: true } } },
        sales: { columns: { id: { type: 'numeric' }, price: { type: 'numeric' }, at: { type: 'timestamptz' } } },
      },
      folds: {
        owners: { kind: 'latest', of: 'items', key: ['id'], columns: ['owner', 'block_height'] },
        totals: { kind: 'sum', of: 'sales', key: ['id'], count: 'sales', sums: { volume: 'price' } },
      },
      derive(event, write) {
        switch (event.name) {
          case 'Minted':
            write.items({ id: event.fields.id, owner: event.fields.to })
            write.items({ id: 1n })
            break
          case 'Sold':
            write.sales({ id: event.fields.id, price: event.fields.price, at: event.timestamp })
        }
      },
    })
    const place = { type: '', height: 1, timestamp: new Date(0), txIndex: 0, transactionId: '', index: 0 }
    const write = { items: (row: unknown) => written.push(row), sales: (row: unknown) => written.push(row) }
    worker.derive({ ...place, name: 'Minted', fields: { id: '7', to: null } }, write)
    expect(written).to.deep.equal([{ id: '7', owner: null }, { id: 1n }])
  })

  it('accepts any event without types', () => {
    const worker = defineWorker()({
      contract: 'A.0000000000000001.Shop',
      version: 1,
      tables: { all: { columns: { name: { type: 'text' }, fields: { type: 'jsonb' } } } },
      derive: (event, write) => write.all({ name: event.name, fields: event.fields }),
    })
    expect(worker.tables.all.columns.fields.type).to.equal('jsonb')
  })

  // The type checker tests these: an unused directive is an error.
  it('rejects mistakes at compile time', () => {
    const shop = { contract: 'A.0000000000000001.Shop', version: 1, tables } as const
    const define = defineWorker<Events>()
    const derive = (): void => undefined
    // @ts-expect-error no such event
    define({ ...shop, events: ['Burned'], derive })
    // @ts-expect-error no such table
    const table: keyof Write<typeof tables> = 'burns'
    // @ts-expect-error a column is missing
    define({ ...shop, derive: (event, write) => write.sales({ id: 1, at: event.timestamp }) })
    // @ts-expect-error no such column
    define({ ...shop, derive: (_event, write) => write.items({ id: 1, price: '1' }) })
    // @ts-expect-error not null
    define({ ...shop, derive: (_event, write) => write.items({ id: null }) })
    // @ts-expect-error a field of another event
    const field: keyof Extract<ContractEvent<Events>, { name: 'Minted' }>['fields'] = 'price'
    // @ts-expect-error a column of another table
    define({ ...shop, folds: { all: { kind: 'latest', of: 'items', key: ['price'], columns: ['id'] } }, derive })
    // @ts-expect-error not a number
    define({ ...shop, folds: { all: { kind: 'sum', of: 'items', key: ['id'], sums: { sum: 'owner' } } }, derive })
    expect([table, field]).to.have.length(2)
  })
})
