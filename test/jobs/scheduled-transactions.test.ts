import { expect } from 'chai'
import { scheduledWorker } from '../../jobs/scheduled-worker.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto, rollBackDerived } from '../support/derived-tables.ts'
import { annotatedTransactions } from '../support/recording-annotations.ts'

interface ScheduledRow {
  readonly id: string
  readonly status: string
  readonly scheduled: string | null
  readonly ended: string | null
}

describe('scheduled transactions of the recording', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]
  const placeOf = async (label: string, at = 0): Promise<string> => {
    const noted = (await annotatedTransactions('base')).filter((one) => one.label === label)[at]
    return `${noted?.height}.${noted?.index}`
  }
  const stored = async (): Promise<readonly ScheduledRow[]> => {
    const { rows } = await database.pool.query<ScheduledRow>(`
      select scheduled_id::text as id, status, scheduled_height || '.' || scheduled_tx_index as scheduled,
        ended_height || '.' || ended_tx_index as ended
      from app.scheduled_transactions order by scheduled_id`)
    return rows
  }

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
  })

  beforeEach(async () => {
    await database.pool.query('truncate app.scheduled_transaction_changes, app.scheduled_transactions')
    expect(await deriveInto(database.pool, scheduledWorker, blocks, { from: 0, to: blocks.length })).to.deep.equal([])
  })

  after(() => database.drop())

  it('were executed, failed or were cancelled as intended', async () => {
    const ids = ['schedule/ring', 'schedule/fail', 'schedule/low', 'schedule/to-be-cancelled']
    const [ring, fail, low, cancelled] = await Promise.all(ids.map((label) => placeOf(label)))
    const rows = await stored()
    expect(rows.slice(0, 4)).to.deep.equal([
      { id: '1', status: 'executed', scheduled: ring, ended: '88.1' },
      { id: '2', status: 'failed', scheduled: fail, ended: '89.1' },
      { id: '3', status: 'executed', scheduled: low, ended: '88.2' },
      { id: '4', status: 'canceled', scheduled: cancelled, ended: await placeOf('schedule/cancel') },
    ])
    expect(rows.slice(4).map(({ status, ended }) => `${status} ${ended}`)).to.deep.equal([
      'executed 95.3',
      'executed 95.4',
      'executed 95.5',
    ])
  })

  it('end in the system transaction that executed them, or that failed', async () => {
    for (const { id, status, ended } of await stored()) {
      if (status === 'canceled') continue
      const [height = 0, index = 0] = (ended ?? '').split('.').map(Number)
      const run = blocks[height]?.transactions[index]
      expect(run?.isSystem, id).to.equal(true)
      expect(run?.statusCode, id).to.equal(status === 'failed' ? 1 : 0)
    }
  })

  it('have their fees and refunds', async () => {
    const { rows } = await database.pool.query(`
      select priority, due_at, execution_effort, fees, fees_returned, fees_deducted, handler_owner, handler_type,
        handler_uuid, handler_public_path
      from app.scheduled_transactions where scheduled_id = 4`)
    expect(rows).to.deep.equal([
      {
        priority: 1,
        due_at: new Date(1_773_529_036_000),
        execution_effort: '500',
        fees: '0.00006036',
        fees_returned: '0.00003018',
        fees_deducted: '0.00003018',
        handler_owner: '0xe03daebed8ca0615',
        handler_type: 'A.f3fcd2c1a78f5eee.Alarm.Job',
        handler_uuid: '81363860455427',
        handler_public_path: '/public/AlarmJob',
      },
    ])
  })

  it('become due, then scheduled, then absent, as the chain is rolled back', async () => {
    await rollBackDerived(database.pool, 88)
    expect((await stored()).map(({ status }) => status)).to.deep.equal([
      'scheduled',
      'scheduled',
      'scheduled',
      'canceled',
    ])
    await rollBackDerived(database.pool, 84)
    expect(await stored()).to.have.length(3)
    await rollBackDerived(database.pool, 82)
    expect(await stored()).to.deep.equal([])
  })

  it('are derived from the indexed part if history starts later', async () => {
    await database.pool.query('truncate app.scheduled_transaction_changes, app.scheduled_transactions')
    await deriveInto(database.pool, scheduledWorker, blocks, { from: 86, to: 90 })
    const { rows } = await database.pool.query(`
      select scheduled_id::int as id, status, scheduled_height, fees, due_at, handler_owner
      from app.scheduled_transactions order by scheduled_id`)
    expect(rows).to.deep.equal([
      {
        id: 1,
        status: 'executed',
        scheduled_height: null,
        fees: '0.00011025',
        due_at: null,
        handler_owner: '0xe03daebed8ca0615',
      },
      {
        id: 2,
        status: 'failed',
        scheduled_height: null,
        fees: '0.00006025',
        due_at: null,
        handler_owner: '0xe03daebed8ca0615',
      },
      {
        id: 3,
        status: 'executed',
        scheduled_height: null,
        fees: '0.00003024',
        due_at: null,
        handler_owner: '0xf669cb8d41ce0c74',
      },
    ])
  })
})
