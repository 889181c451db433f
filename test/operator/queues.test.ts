import { expect } from 'chai'
import { pino } from 'pino'
import { createWorkQueue } from '../../src/farm/queues/create-work-queue.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runOperator } from '../support/running-operator.ts'
import type { RunningOperator } from '../support/running-operator.ts'

interface Board {
  readonly queues: readonly { readonly name: string; readonly counts: Readonly<Record<string, number>>; readonly jobs: readonly { readonly data: unknown }[] }[]
}

describe('Bull Board', () => {
  let database: TestDatabase
  let operator: RunningOperator
  const bearer = { Authorization: 'Bearer secret' }

  before(async () => {
    database = await createTestDatabase()
    operator = await runOperator(database.url, { ADMIN_TOKEN: 'secret' })
  })

  after(async () => {
    await operator.stop()
    await database.drop()
  })

  it('is a page of its own behind the same guard, which asks no other server', async () => {
    const { status, headers, body } = await operator.raw('GET', '/operator/queues', bearer)
    expect(status).to.equal(200)
    expect(body).to.include('flowfarm queues').and.to.include('<base href="/operator/queues/"')
    expect(headers['content-security-policy']).to.include("script-src 'self'; style-src 'self' 'unsafe-inline'").and.to.not.match(/https?:/)
    const script = /src="(static\/js\/[^"]+)"/.exec(body)?.[1] ?? ''
    expect(await operator.raw('GET', `/operator/queues/${script}`, bearer)).to.include({ status: 200 })
    expect(await operator.raw('GET', `/operator/queues/${script}`)).to.include({ status: 401 })
  })

  it('lists the queue of each worker with its jobs', async () => {
    const queues = await createWorkQueue({ databaseUrl: database.url, redisUrl: undefined, log: pino({ level: 'silent' }) })
    const job = { worker: 'token_worker', leases: [{ from: 10, generation: 0 }] }
    await queues.add('token_worker', [job])
    const { status, body } = await operator.raw('GET', '/operator/queues/api/queues?activeQueue=token_worker&status=prioritized', bearer)
    await queues.close()
    expect(status).to.equal(200)
    const board = JSON.parse(body) as Board
    expect(board.queues.map(({ name }) => name)).to.include.members(['token_worker', 'accounts_worker', 'ft_holdings_worker'])
    const queue = board.queues.find(({ name }) => name === 'token_worker')
    expect(queue?.counts).to.include({ prioritized: 1 })
    expect(queue?.jobs[0]?.data).to.deep.equal(job)
  })
})
