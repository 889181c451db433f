import { expect } from 'chai'
import { deriveRows } from 'flowfarm/worker-test'
import events from './events.json' with { type: 'json' }
import worker from './worker.ts'

describe('contract-webhook', () => {
  it('writes each alarm with its message', async () => {
    const { alarms } = await deriveRows(worker, events)
    expect(alarms).to.deep.equal(events.map(({ fields }) => ({ id: fields.id, message: fields.data })))
  })
})
