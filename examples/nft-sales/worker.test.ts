import { expect } from 'chai'
import { deriveRows } from 'flowfarm/worker-test'
import events from './events.json' with { type: 'json' }
import worker from './worker.ts'

describe('nft-sales', () => {
  const opened = events.filter(({ name }) => name === 'ListingAvailable')
  const purchased = events.filter(({ fields }) => fields.purchased === true)

  it('opens and closes listings', async () => {
    const rows = await deriveRows(worker, events)
    const states = rows.listing_changes.map(({ is_open: isOpen }) => isOpen)
    expect(states.filter((isOpen) => isOpen)).to.have.lengthOf(opened.length)
    expect(states).to.have.lengthOf(events.length)
  })

  it('writes a sale only for purchased listings', async () => {
    const { sales } = await deriveRows(worker, events)
    expect(sales.map(({ price }) => price)).to.deep.equal(purchased.map(({ fields }) => fields.salePrice))
    const withdrawn = purchased.map((event) => ({ ...event, fields: { ...event.fields, purchased: false } }))
    expect((await deriveRows(worker, withdrawn)).sales).to.deep.equal([])
  })
})
