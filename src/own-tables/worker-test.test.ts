import { expect } from 'chai'
import { FatalError } from '../platform/errors.ts'
import { defineWorker } from './define-worker.ts'
import { deriveRows } from './worker-test.ts'

type Events = { Sold: { id: string; to: string | null } }

const worker = defineWorker<Events>()({
  contract: 'A.0000000000000001.Shop',
  version: 1,
  tables: {
    sales: {
      columns: {
        id: { type: 'numeric' },
        buyer: { type: 'text', optional: true },
        day: { type: 'date' },
        at: { type: 'timestamptz' },
      },
    },
  },
  derive({ fields, timestamp }, write) {
    write.sales({ id: fields.id === 'big' ? 2n ** 70n : fields.id, buyer: fields.to, day: timestamp, at: timestamp })
  },
})

const sold = (fields: object): object => ({ name: 'Sold', timestamp: '2026-01-31T23:00:00Z', fields })

describe('deriveRows', () => {
  it('returns the stored values of each table', async () => {
    expect(await deriveRows(worker, [sold({ id: '7', to: null }), sold({ id: 'big', to: '0x01' })])).to.deep.equal({
      sales: [
        { id: '7', buyer: null, day: '2026-01-31', at: '2026-01-31T23:00:00.000Z' },
        { id: '1180591620717411303424', buyer: '0x01', day: '2026-01-31', at: '2026-01-31T23:00:00.000Z' },
      ],
    })
    expect(await deriveRows(worker, [])).to.deep.equal({ sales: [] })
  })

  it('refuses what the host refuses', async () => {
    const problemOf = (used: typeof worker, fields: object): Promise<unknown> =>
      deriveRows(used, [sold(fields)]).then(
        () => undefined,
        (error: unknown) => error,
      )
    const invalid = await problemOf(worker, { id: 'seven', to: null })
    expect(invalid).to.be.instanceOf(FatalError)
    expect(String(invalid)).to.include('sales.id').and.to.include('"seven"')
    const extra = {
      ...worker,
      derive: (_event: unknown, write: { sales: (row: never) => void }) => write.sales({ a: 1 } as never),
    }
    expect(String(await problemOf(extra, { id: '1', to: null }))).to.include('sales has no column a')
    expect(String(await problemOf({ ...worker, version: 0 }, { id: '1', to: null }))).to.include('version')
  })
})
