import { expect } from 'chai'
import type {
  ScheduledHandler,
  ScheduledTransaction,
  ScheduledTransactionDetail,
} from '../../src/explorer/scheduled/schema.ts'
import { allPages } from '../support/all-pages.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'

describe('routes of scheduled transactions on a recorded chain', () => {
  let chain: ExploredChain
  let all: readonly ScheduledTransaction[]

  before(async () => {
    chain = await exploredChain()
    all = await allPages<ScheduledTransaction>(chain.api, '/flow/scheduled-transaction', 3)
  })

  async function rows<Row extends object>(text: string): Promise<Row[]> {
    return (await chain.database.pool.query<Row>(text)).rows
  }

  it('list all of them, latest first, with their transactions', async () => {
    const expected = await rows<{ id: number; scheduled: string; fees: string }>(`
      select (payload ->> 'id')::int as id, encode(t.id, 'hex') as scheduled, payload ->> 'fees' as fees
      from raw.events e join raw.transactions t using (block_height, tx_index)
      where type like '%.FlowTransactionScheduler.Scheduled' order by 1 desc`)
    expect(all.map(({ id, scheduled_tx_id: scheduled, fees }) => ({ id, scheduled, fees }))).to.deep.equal(expected)
    const ends = await rows<{ id: number; ended: string | null }>(`
      select (payload ->> 'id')::int as id, encode(t.id, 'hex') as ended
      from raw.events e join raw.transactions t using (block_height, tx_index)
      where type ~ 'FlowTransactionScheduler.(Executed|Canceled)$'`)
    for (const { id, ended } of ends) {
      const shown = all.find((one) => one.id === id)
      expect(shown?.executed_tx_id ?? shown?.canceled_tx_id, String(id)).to.equal(ended)
    }
    expect(new Set(all.map(({ status }) => status))).to.deep.equal(new Set(['executed', 'failed', 'canceled']))
  })

  it('return the outcome', () => {
    for (const one of all) {
      expect(one.executed_tx_id === null, String(one.id)).to.equal(one.status === 'canceled')
      expect(one.canceled_tx_id === null, String(one.id)).to.equal(one.status !== 'canceled')
      expect(one.fees_returned === null, String(one.id)).to.equal(one.status !== 'canceled')
      expect(one.error_message === null, String(one.id)).to.equal(one.status !== 'failed')
      expect(String(one.scheduled_at) < String(one.ended_at), String(one.id)).to.equal(true)
    }
    expect(all.find(({ status }) => status === 'failed')?.error_message).to.include('was told to fail')
  })

  it('filter by status, owner and handler', async () => {
    const owner = all[0]?.handler_owner
    const uuid = all[0]?.handler_uuid
    for (const [filter, keeps] of [
      ['status=executed', (one) => one.status === 'executed'],
      ['status=failed', (one) => one.status === 'failed'],
      ['status=pending', () => false],
      [`owner=${owner}`, (one) => one.handler_owner === owner],
      [`handler=${uuid}`, (one) => one.handler_uuid === uuid],
      [
        `owner=${owner}&status=executed&handler=${uuid}`,
        (one) => one.handler_owner === owner && one.handler_uuid === uuid && one.status === 'executed',
      ],
      [`owner=0x0000000000000001`, () => false],
      [`owner=${owner}&status=canceled`, (one) => one.handler_owner === owner && one.status === 'canceled'],
    ] as ReadonlyArray<readonly [string, (one: ScheduledTransaction) => boolean]>) {
      expect(await allPages(chain.api, `/flow/scheduled-transaction?${filter}`, 2), filter).to.deep.equal(
        all.filter(keeps),
      )
    }
  })

  it('list those of an account', async () => {
    const path = `/flow/account/${all[0]?.handler_owner}/scheduled-transaction`
    const own = all.filter((one) => one.handler_owner === all[0]?.handler_owner)
    expect(await allPages(chain.api, path, 2)).to.deep.equal(own)
    expect(await allPages(chain.api, `${path}?status=failed`, 2)).to.deep.equal(
      own.filter(({ status }) => status === 'failed'),
    )
  })

  it('return one with its history', async () => {
    for (const one of all) {
      const {
        data: [shown],
      } = await chain.api.json<{ data: ScheduledTransactionDetail[] }>(`/flow/scheduled-transaction/${one.id}`)
      const { changes, ...fields } = shown ?? {}
      expect(fields).to.deep.equal(one)
      const kinds = changes?.map(({ kind }) => kind)
      expect(kinds).to.deep.equal(
        one.status === 'canceled' ? ['scheduled', 'canceled'] : ['scheduled', 'pending', one.status],
      )
      expect(changes?.[0]).to.deep.equal({
        kind: 'scheduled',
        block_height: one.scheduled_height,
        timestamp: one.scheduled_at,
        transaction_id: one.scheduled_tx_id,
      })
    }
  })

  it('list handlers with their first and latest transaction', async () => {
    const handlers = await allPages<ScheduledHandler>(chain.api, '/flow/scheduled-handler', 1)
    const uuids = [...new Set(all.map(({ handler_uuid: uuid }) => String(uuid)))].toSorted(
      (a, b) => Number(b) - Number(a),
    )
    expect(handlers.map(({ handler_uuid: uuid }) => uuid)).to.deep.equal(uuids)
    for (const handler of handlers) {
      const own = all.filter(({ handler_uuid: uuid }) => uuid === handler.handler_uuid)
      expect([handler.first, handler.latest]).to.deep.equal([own.at(-1), own[0]])
      expect(await chain.api.json(`/flow/scheduled-handler/${handler.handler_uuid}`)).to.deep.equal({ data: [handler] })
    }
  })

  it('return 404 for unknown and 400 for invalid parameters', async () => {
    for (const [path, code] of [
      ['/flow/scheduled-transaction/999999', 'unknown-scheduled-transaction'],
      ['/flow/scheduled-handler/1', 'unknown-handler'],
    ] as const) {
      const response = await chain.api.get(path)
      expect([response.status, ((await response.json()) as { code: string }).code]).to.deep.equal([404, code])
    }
    await expectProblem(chain.api, '/flow/scheduled-transaction/x', 'id', 'must be the id')
    await expectProblem(chain.api, '/flow/scheduled-transaction?status=done', 'status', 'executed')
    await expectProblem(chain.api, '/flow/scheduled-transaction?owner=x', 'owner', '16 hex digits')
    await expectProblem(chain.api, '/flow/scheduled-transaction?handler=-1', 'handler', 'whole number')
    await expectProblem(chain.api, '/flow/scheduled-handler/9999999999999999999', 'id', 'whole number')
  })
})
