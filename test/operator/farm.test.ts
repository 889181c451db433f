import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { listen, farmChannel } from '../../src/platform/db/listen.ts'
import { addLeases, clearFarm, leaseLines, setCoverage, storedLeases } from '../../src/farm/farm-tables.test-support.ts'
import { withFollowers } from '../../src/farm/leases/requests.ts'
import type { Overview, Stage } from '../../src/operator/overview-feed.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runOperator } from '../support/running-operator.ts'
import type { RunningOperator } from '../support/running-operator.ts'

interface Page {
  readonly data: readonly Record<string, unknown>[]
  readonly has_more: boolean
  readonly cursor: string
  readonly total: number
}

describe('operator API', () => {
  let database: TestDatabase
  let operator: RunningOperator
  const announced: string[] = []
  const stop = new AbortController()
  let listening: Promise<void>

  before(async () => {
    database = await createTestDatabase()
    operator = await runOperator(database.url, { ENABLE_TX_CONTRACTS_WORKER: 'false' })
    const listener = await listen(database.url, [farmChannel], (channel) => announced.push(channel), {
      signal: stop.signal,
      onReconnect: () => undefined,
    })
    listening = listener.ended
  })

  after(async () => {
    stop.abort()
    await listening
    await operator.stop()
    await database.drop()
  })

  beforeEach(async () => {
    await clearFarm(database.pool)
    await database.pool.query('truncate raw.indexing_errors, app.chain, app.fault_drills')
  })

  async function page(path: string): Promise<Page> {
    const { status, body } = await operator.get<Page>(path)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body
  }

  describe('returns', () => {
    it('the progress of every worker', async () => {
      await database.pool.query(`insert into app.chain (chain_id, latest_height) values ('flow-emulator', 119)`)
      await setCoverage(database.pool, {
        main_ingester: [{ from: 100, to: 110 }],
        token_worker: [
          { from: 100, to: 102 },
          { from: 104, to: 105 },
        ],
      })
      await addLeases(database.pool, [{ worker: 'token_worker', from: 102, to: 104, status: 'flagged', attempt: 21 }])
      const { body } = await operator.get<Overview>('/overview')
      expect(body).to.deep.include({
        version: '1.2.3',
        chainId: 'flow-emulator',
        head: 119,
        stored: { from: 100, to: 110 },
        database: { isUp: true },
        queues: 'postgres',
        unresolvedErrors: 0,
        stuckSessions: 0,
        drills: [],
      })
      expect(new Date(body.generatedAt).getTime()).to.be.closeTo(Date.now(), 60_000)
      expect(body.stages.map(({ name }) => name).slice(0, 2)).to.deep.equal(['main_ingester', 'history_ingester'])
      const stages = new Map(body.stages.map((stage): [string, Stage] => [stage.name, stage]))
      expect(stages.get('main_ingester')).to.include({
        kind: 'ingester',
        phase: 0,
        isEnabled: true,
        covered: 10,
        available: 20,
        backlog: 10,
      })
      expect(stages.get('token_worker')).to.deep.include({
        kind: 'worker',
        phase: 1,
        follows: [],
        isEnabled: true,
        covered: 3,
        available: 10,
        backlog: 7,
        holes: 1,
        lowest: 100,
        highest: 104,
        flagged: { leases: 1, heights: 2 },
        queued: { leases: 0, heights: 0 },
        rate: null,
        etaSeconds: null,
      })
      expect(stages.get('token_worker')?.oldestUnfinished).to.include({
        from: 102,
        to: 104,
        status: 'flagged',
        attempt: 21,
      })
      expect(stages.get('tx_contracts_worker')).to.include({ isEnabled: false })
      expect(stages.get('ft_holdings_worker')?.follows).to.deep.equal(['token_worker'])
    })

    it('chart cells of the coverage, with holes', async () => {
      await setCoverage(database.pool, {
        main_ingester: [{ from: 0, to: 1000 }],
        token_worker: [
          { from: 0, to: 500 },
          { from: 501, to: 700 },
        ],
      })
      await addLeases(database.pool, [
        { worker: 'token_worker', from: 700, to: 800, status: 'active' },
        { worker: 'token_worker', from: 800, to: 850, status: 'failed' },
        { worker: 'token_worker', from: 850, to: 900, status: 'flagged' },
        { worker: 'token_worker', from: 900, to: 1000, status: 'skipped' },
      ])
      const picture = await operator.get<{ stages: { name: string }[] }>('/coverage?cells=10')
      expect(picture.body).to.deep.include({ from: 0, to: 1000, cells: 10 })
      expect(picture.body.stages.find(({ name }) => name === 'token_worker')).to.deep.equal({
        name: 'token_worker',
        done: [1, 1, 1, 1, 1, 0.99, 1, 0, 0, 0],
        active: [0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
        failing: [0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
        skipped: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      })
      const part = await operator.get<{ stages: { name: string; done: number[] }[] }>(
        '/coverage?from=498&to=502&cells=400',
      )
      expect(part.body).to.deep.include({ from: 498, to: 502, cells: 4 })
      expect(part.body.stages.find(({ name }) => name === 'token_worker')?.done).to.deep.equal([1, 1, 0, 1])
    })

    it('leases with details, in pages', async () => {
      await addLeases(database.pool, [
        { worker: 'token_worker', from: 10, to: 20, status: 'flagged', attempt: 21 },
        { worker: 'token_worker', from: 20, to: 30, status: 'done' },
        { worker: 'token_worker', from: 30, to: 40, status: 'failed' },
        { worker: 'accounts_worker', from: 10, to: 20, status: 'flagged' },
        { worker: 'accounts_worker', from: 20, to: 30 },
        { worker: 'accounts_worker', from: 30, to: 40, status: 'active' },
      ])
      await database.pool.query(`
        update app.worker_leases set last_error = 'no such field', last_error_code = 'bad-event', last_error_stack = 'at derive', expiries = 2
        where worker_type = 'token_worker' and from_height = 10`)
      const seen: string[] = []
      for (let cursor = ''; ;) {
        const {
          data,
          has_more: hasMore,
          cursor: next,
          total,
        } = await page(`/leases?status=flagged,failed&limit=2&cursor=${cursor}`)
        expect(total).to.equal(3)
        seen.push(...data.map(({ worker, from }) => `${String(worker)} ${String(from)}`))
        if (!hasMore) break
        cursor = next
      }
      expect(seen).to.deep.equal(['accounts_worker 10', 'token_worker 10', 'token_worker 30'])
      const ofCode = await page('/leases?code=bad-event')
      expect(ofCode.total).to.equal(1)
      expect(ofCode.data[0]).to.include({
        worker: 'token_worker',
        from: 10,
        to: 20,
        status: 'flagged',
        attempt: 21,
        expiries: 2,
        error: 'no such field',
        code: 'bad-event',
        stack: 'at derive',
        leasedBy: null,
        leaseExpiresAt: null,
        notBefore: null,
        reason: null,
      })
      expect(ofCode.data[0]?.['createdAt']).to.match(/^\d{4}-\d\d-\d\dT.*Z$/)
      expect((await page('/leases?worker=accounts_worker')).total).to.equal(3)
    })

    it('unresolved errors, latest first, in pages', async () => {
      await database.pool.query(`
        insert into raw.indexing_errors (worker_name, block_height, tx_index, event_index, code, message, event_type, occurrences, last_seen_at, resolved_at)
        select case when h % 2 = 0 then 'token_worker' else 'main_ingester' end, h, 1, 2, 'bad-ccf', 'm' || h, 'A.x', h,
          now() - (h / 2) * interval '1 minute', case when h = 3 then now() end
        from generate_series(1, 6) h`)
      const heights: unknown[] = []
      for (let cursor = ''; ;) {
        const { data, has_more: hasMore, cursor: next, total } = await page(`/errors?limit=2&cursor=${cursor}`)
        expect(total).to.equal(5)
        heights.push(...data.map(({ height }) => height))
        if (!hasMore) break
        cursor = next
      }
      expect(heights).to.deep.equal([1, 2, 5, 4, 6])
      const ofWorker = await page('/errors?worker=token_worker')
      expect(ofWorker.total).to.equal(3)
      expect(ofWorker.data[0]).to.include({
        worker: 'token_worker',
        height: 2,
        txIndex: 1,
        eventIndex: 2,
        code: 'bad-ccf',
        message: 'm2',
        eventType: 'A.x',
        occurrences: 2,
      })
      expect(ofWorker.data[0]).to.have.all.keys(
        'id',
        'worker',
        'height',
        'txIndex',
        'eventIndex',
        'code',
        'message',
        'eventType',
        'transactionId',
        'occurrences',
        'firstSeenAt',
        'lastSeenAt',
      )
    })
  })

  describe('changes', () => {
    const flagged = (from: number, to: number) => ({
      worker: 'token_worker',
      from,
      to,
      status: 'flagged' as const,
      attempt: 21,
    })

    /** Returns the response, and asserts that the coordinator was woken. */
    async function repair(action: string, body: object): Promise<unknown> {
      announced.length = 0
      const answer = await operator.send('POST', `/leases/${action}`, body)
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
      while (announced.length === 0) await database.pool.query('select 1')
      return answer.body
    }

    it('single leases by requeueing', async () => {
      await addLeases(database.pool, [flagged(10, 20), flagged(20, 30)])
      expect(await repair('requeue', { leases: [{ worker: 'token_worker', from: 10 }] })).to.deep.equal({ changed: 1 })
      expect(await leaseLines(database.pool)).to.deep.equal(['token_worker 10-20 queued', 'token_worker 20-30 flagged'])
      expect((await storedLeases(database.pool))[0]).to.include({ attempt: 0 })
    })

    it('single leases by splitting', async () => {
      await addLeases(database.pool, [flagged(10, 20)])
      expect(await repair('split', { leases: [{ worker: 'token_worker', from: 10 }], pieces: 3 })).to.deep.equal({
        changed: 3,
      })
      expect(await leaseLines(database.pool)).to.deep.equal([
        'token_worker 10-14 queued',
        'token_worker 14-18 queued',
        'token_worker 18-20 queued',
      ])
    })

    it('single leases by skipping, with a reason', async () => {
      await addLeases(database.pool, [flagged(10, 20)])
      expect(
        await repair('skip', { leases: [{ worker: 'token_worker', from: 10 }], reason: ' broken contract ' }),
      ).to.deep.equal({ changed: 1 })
      expect((await storedLeases(database.pool))[0]).to.include({ status: 'skipped', reason: 'broken contract' })
    })

    it('all leases of a worker', async () => {
      const all = (statuses: string[], code?: string) => ({
        all: { worker: 'token_worker', statuses, ...(code === undefined ? {} : { code }) },
      })
      const fill = async (): Promise<void> => {
        await clearFarm(database.pool)
        await addLeases(database.pool, [
          ...Array.from({ length: 30 }, (_, i) => flagged(i * 10, i * 10 + 10)),
          { worker: 'token_worker', from: 300, to: 310, status: 'failed' },
          { worker: 'token_worker', from: 310, to: 320, status: 'active' },
          { worker: 'accounts_worker', from: 0, to: 10, status: 'flagged' },
        ])
        await database.pool.query(`update app.worker_leases set last_error_code = 'odd' where from_height < 50`)
      }
      const counts = async (): Promise<Record<string, number>> =>
        Object.fromEntries(
          Map.groupBy(await leaseLines(database.pool), (line) => line.split(' ').at(-1) ?? '')
            .entries()
            .map(([status, lines]) => [status, lines.length]),
        )
      await fill()
      expect(await repair('requeue', all(['flagged']))).to.deep.equal({ changed: 30 })
      expect(await counts()).to.deep.equal({ queued: 30, failed: 1, active: 1, flagged: 1 })
      await fill()
      expect(await repair('requeue', all(['flagged', 'failed']))).to.deep.equal({ changed: 31 })
      await fill()
      expect(await repair('skip', { ...all(['flagged'], 'odd'), reason: 'known' })).to.deep.equal({ changed: 5 })
      expect(await counts()).to.deep.equal({ skipped: 5, flagged: 26, failed: 1, active: 1 })
      await fill()
      expect(await repair('split', all(['flagged'], 'odd'))).to.deep.equal({ changed: 10 })
    })

    it('only failing leases', async () => {
      await addLeases(database.pool, [{ worker: 'token_worker', from: 10, to: 20, status: 'active' }])
      const body = {
        leases: [
          { worker: 'token_worker', from: 10 },
          { worker: 'token_worker', from: 11 },
        ],
      }
      expect((await operator.send('POST', '/leases/requeue', body)).body).to.deep.equal({ changed: 0 })
      expect(await leaseLines(database.pool)).to.deep.equal(['token_worker 10-20 active'])
    })

    it('the coverage of a rederived range and its followers', async () => {
      const whole = [{ from: 0, to: 100 }]
      await setCoverage(database.pool, {
        main_ingester: whole,
        token_worker: whole,
        ft_holdings_worker: whole,
        accounts_worker: whole,
      })
      const { body } = await operator.send('POST', '/rederive', { from: 10, to: 20, workers: ['token_worker'] })
      expect(body)
        .to.have.property('workers')
        .that.has.members(withFollowers(workers, ['token_worker']))
      expect(body)
        .to.have.property('workers')
        .that.includes('ft_holdings_worker')
        .and.does.not.include('accounts_worker')
      const {
        body: { stages },
      } = await operator.get<Overview>('/overview')
      const backlog = Object.fromEntries(stages.map(({ name, backlog: heights }) => [name, heights]))
      // Holdings wait for the backlog of the worker that they follow.
      expect(backlog).to.include({ token_worker: 10, ft_holdings_worker: 0, accounts_worker: 0 })
      expect(stages.find(({ name }) => name === 'ft_holdings_worker')).to.include({ covered: 90, available: 90 })
    })
  })

  it('starts and ends drills', async () => {
    const drill = { worker: 'token_worker', from: 10, to: 20, reason: 'an exercise' }
    expect((await operator.send('POST', '/drills', drill)).status).to.equal(204)
    expect((await operator.get<Overview>('/overview')).body.drills).to.deep.equal([drill])
    expect((await operator.send('DELETE', '/drills', { worker: 'token_worker' })).status).to.equal(204)
    expect((await operator.get<Overview>('/overview')).body.drills).to.deep.equal([])
  })

  it("starts a drill above the current head, not above the head in the operator's view", async () => {
    await database.pool.query("update app.indexing_checkpoints set covered = '{}'")
    await setCoverage(database.pool, { main_ingester: [{ from: 0, to: 1000 }] })
    await operator.get<Overview>('/overview')
    await setCoverage(database.pool, { main_ingester: [{ from: 0, to: 2000 }] })
    expect((await operator.send('POST', '/drills', { worker: 'token_worker', blocks: 3 })).status).to.equal(204)
    const [drill] = (await operator.get<Overview>('/overview')).body.drills
    expect(drill).to.deep.equal({ worker: 'token_worker', from: 2009, to: 2012, reason: null })
  })

  describe('failing heights', () => {
    const state = async (): Promise<unknown> =>
      (await operator.get<{ heights: { height: number; state: string }[] }>('/heights')).body.heights.map(
        ({ height, state: one }) => [height, one],
      )
    before(async () => {
      await database.pool.query(`
        insert into raw.failing_heights (height, ingester, reason) values (500, 'main_ingester', 'INTERNAL');
        insert into raw.unavailable (block_height, part, reason, endpoint) values (300, 'block', 'INTERNAL', 'node:9000')`)
    })
    after(() => database.pool.query('truncate raw.failing_heights, raw.unavailable'))

    it('are skipped idempotently', async () => {
      expect(await state()).to.deep.equal([
        [500, 'failing'],
        [300, 'unavailable'],
      ])
      expect((await operator.get<Overview>('/overview')).body).to.include({ failingHeights: 1, unavailableHeights: 1 })
      for (let i = 0; i < 2; i++)
        expect((await operator.send('POST', '/heights/skip', { height: 500 })).status).to.equal(204)
      expect(await state()).to.deep.equal([
        [500, 'skipping'],
        [300, 'unavailable'],
      ])
    })

    it('are not skipped if unavailable or fetched', async () => {
      for (const height of [300, 42]) {
        const { status, body } = await operator.send('POST', '/heights/skip', { height })
        expect(status).to.equal(404)
        expect(body).to.include({ code: 'height-not-failing' })
      }
    })

    it('are refetched once', async () => {
      expect((await operator.send('POST', '/heights/retry', { from: 0, to: 400 })).body).to.deep.equal({ retried: 1 })
      expect((await operator.send('POST', '/heights/retry', { from: 0, to: 400 })).body).to.deep.equal({ retried: 0 })
      expect(await state()).to.deep.equal([[500, 'skipping']])
    })
  })

  describe('rejects with the field and the expected value:', () => {
    const one = [{ worker: 'token_worker', from: 1 }]
    const all = { worker: 'token_worker', statuses: ['flagged'] }
    const cases: [string, string, unknown, string, string][] = [
      ['POST', '/leases/skip', { leases: one }, 'reason', 'must give a reason'],
      ['POST', '/leases/skip', { leases: one, reason: '  ' }, 'reason', 'must give a reason'],
      ['POST', '/leases/requeue', {}, 'leases', 'either "leases"'],
      ['POST', '/leases/requeue', { leases: one, all }, 'leases', 'either "leases"'],
      ['POST', '/leases/requeue', { leases: [] }, 'leases', 'at least one'],
      [
        'POST',
        '/leases/requeue',
        { leases: [...one, { worker: 'token_worker', from: -1 }] },
        'leases[1].from',
        'whole number from 0',
      ],
      ['POST', '/leases/requeue', { leases: [{ from: 1 }] }, 'leases[0].worker', 'name of a worker'],
      ['POST', '/leases/requeue', { all: { ...all, statuses: ['done'] } }, 'all.statuses[0]', 'failed or flagged'],
      ['POST', '/leases/requeue', { all: { ...all, worker: 'tokens' } }, 'all.worker', 'Workers: token_worker'],
      ['POST', '/leases/requeue', { all: { ...all, cod: 'x' } }, 'all.cod', 'unknown'],
      ['POST', '/leases/split', { leases: one, pieces: 1 }, 'pieces', 'from 2 to 1000'],
      ['POST', '/rederive', { from: 5, to: 5, workers: ['token_worker'] }, 'to', 'above "from"'],
      ['POST', '/rederive', { from: 5, to: 6, workers: [] }, 'workers', 'at least one'],
      ['POST', '/rederive', { from: 5, to: 6, workers: ['x'] }, 'workers', 'Workers: token_worker'],
      ['POST', '/rederive', { from: 5, to: 6, workers: ['token_worker'] }, 'from', 'no heights are stored'],
      ['POST', '/drills', { worker: 'x', from: 1, to: 2 }, 'worker', 'Workers: token_worker'],
      ['POST', '/drills', { worker: 'token_worker', from: 2, to: 2 }, 'to', 'above "from"'],
      ['POST', '/drills', { worker: 'token_worker' }, 'blocks', 'either "from" and "to" or "blocks"'],
      [
        'POST',
        '/drills',
        { worker: 'token_worker', from: 2, to: 3, blocks: 1 },
        'blocks',
        'either "from" and "to" or "blocks"',
      ],
      ['POST', '/drills', { worker: 'token_worker', blocks: 0 }, 'blocks', 'from 1 to 10000'],
      ['POST', '/drills', { worker: 'token_worker', blocks: 10001 }, 'blocks', 'from 1 to 10000'],
      ['POST', '/heights/skip', {}, 'height', 'whole number from 0'],
      ['POST', '/heights/skip', { height: '5' }, 'height', 'whole number from 0'],
      ['POST', '/heights/skip', { height: 1e15 }, 'height', 'whole number from 0'],
      ['POST', '/heights/retry', { from: 5 }, 'to', 'whole number from 0'],
      ['POST', '/heights/retry', { from: 5, to: 5 }, 'to', 'above "from"'],
      ['GET', '/heights?limit=501', undefined, 'limit', 'from 1 to 500'],
      ['GET', '/leases?status=done', undefined, 'status[0]', 'list of queued'],
      ['GET', '/leases?worker=x', undefined, 'worker', 'Workers: token_worker'],
      ['GET', '/leases?limit=0', undefined, 'limit', 'from 1 to 500'],
      ['GET', '/leases?cursor=x', undefined, 'cursor', 'cursor of the page before'],
      ['GET', '/leases?workers=x', undefined, 'workers', 'unknown'],
      ['GET', '/leases?limit=1&limit=2', undefined, 'limit', 'repeated'],
      ['GET', '/coverage?cells=5000', undefined, 'cells', 'from 1 to 4000'],
      ['GET', '/coverage?from=5&to=5', undefined, 'to', 'above "from"'],
      ['GET', '/errors?cursor=1', undefined, 'cursor', 'cursor of the page before'],
    ]
    for (const [method, path, body, field, words] of cases) {
      it(`${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`, async () => {
        const answer = await operator.send(method, path, body)
        expect(answer.headers['content-type']).to.match(/^application\/problem\+json/)
        expect(answer.body).to.include({ status: 400, field })
        expect(answer.body.detail).to.include(words)
      })
    }

    it('serves its OpenAPI description', async () => {
      const { body } = await operator.get<{ paths: object }>('/openapi.json')
      expect(body.paths).to.have.property('/operator/api/leases/requeue')
    })

    it('rejects invalid JSON, an oversized body, an unknown path and another method', async () => {
      const json = { 'Content-Type': 'application/json' }
      expect(await operator.raw('POST', '/operator/api/rederive', json, '{')).to.include({ status: 400 })
      expect(
        await operator.raw('POST', '/operator/api/rederive', json, JSON.stringify('x'.repeat(2 ** 20))),
      ).to.include({ status: 413 })
      expect(await operator.get('/nothing')).to.deep.include({ status: 404 })
      const { status, headers } = await operator.send('DELETE', '/overview', {})
      expect({ status, allow: headers.allow }).to.deep.equal({ status: 405, allow: 'HEAD, GET, OPTIONS' })
    })
  })
})
