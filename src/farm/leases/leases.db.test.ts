import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { FatalError, RetryableError } from '../../platform/errors.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { waitUntil } from '../../../test/support/lease-waits.ts'
import {
  addLeases,
  clearFarm,
  completeClaims,
  leaseLines,
  setCoverage,
  storedLeases,
} from '../farm-tables.test-support.ts'
import type { ClaimedLease, LeaseKey } from './leases.ts'
import {
  defaultRetryPolicy,
  claimLeases,
  heartbeatLeases,
  failLeases,
  reapLeases,
  releaseLeases,
  returnLeases,
} from './leases.ts'
import { reenqueueLeases, requeueDueLeases } from '../coordinator/plan-leases.ts'
import { listLeases, pruneLeases, requeueLeases, skipLeases, splitLeases } from './operator-leases.ts'

const poison = new FatalError('bad-block', 'this block cannot be derived')
const by = { leasedBy: 'host:1:a', leaseMs: 60_000 }

describe('leases', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase({ max: 20 })
    pool = database.pool
  })
  beforeEach(() => clearFarm(pool))
  after(() => database.drop())

  const key = (from: number, worker = 'a'): LeaseKey => ({ worker, from })

  async function claim(from: number, worker = 'a'): Promise<ClaimedLease> {
    const [lease] = await claimLeases(pool, [key(from, worker)], by)
    if (lease === undefined) throw new Error(`${worker} ${from} is not to be had`)
    return lease
  }

  /** Expires active leases, or ends the pauses of failed ones. */
  async function elapse(column: 'lease_expires_at' | 'not_before'): Promise<void> {
    await pool.query(`update app.worker_leases set ${column} = now() - interval '1 s' where ${column} is not null`)
  }

  const complete = (...leases: ClaimedLease[]): Promise<number> => completeClaims(pool, leases)

  describe('a claim', () => {
    it('claims queued leases only', async () => {
      await addLeases(pool, [
        { worker: 'a', from: 0, to: 10 },
        { worker: 'a', from: 10, to: 20, status: 'failed' },
        { worker: 'b', from: 0, to: 5 },
        { worker: 'a', from: 20, to: 30, status: 'done' },
        { worker: 'a', from: 30, to: 40, status: 'active' },
      ])
      const claimed = await claimLeases(pool, [key(0, 'b'), ...[30, 20, 10, 0, 77].map((from) => key(from))], by)
      expect(claimed.map((lease) => [lease.worker, lease.from, lease.to, lease.attempt])).to.have.deep.members([
        ['a', 0, 10, 1],
        ['b', 0, 5, 1],
      ])
      expect(new Set(claimed.map((lease) => lease.generation)).size).to.equal(2)
    })

    it('succeeds after a lost deadlock', async () => {
      await addLeases(pool, [
        { worker: 'a', from: 0, to: 10 },
        { worker: 'a', from: 10, to: 20 },
      ])
      const other = await pool.connect()
      try {
        await other.query('begin')
        // A session that waits this long checks for deadlocks and is cancelled: the claim, not this
        // one.
        await other.query("set local deadlock_timeout = '1min'")
        await other.query('select from app.worker_leases where from_height = 10 for update')
        const claimed = claimLeases(pool, [key(0), key(10)], by)
        await waitUntil(
          { pool },
          async () =>
            (
              await pool.query(
                "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
              )
            ).rowCount === 1,
        )
        await other.query('select from app.worker_leases where from_height = 0 for update')
        await other.query('commit')
        expect((await claimed).map(({ from }) => from)).to.have.members([0, 10])
      } finally {
        other.release()
      }
    })

    it('succeeds for one of eight concurrent callers', async () => {
      const count = 200
      await addLeases(
        pool,
        Array.from({ length: count }, (_, i) => ({ worker: 'a', from: i * 10, to: i * 10 + 10 })),
      )
      const keys = Array.from({ length: count }, (_, i) => key(i * 10))
      const claims = await Promise.all(
        Array.from({ length: 8 }, async (_, process) => {
          const mine: ClaimedLease[] = []
          // Each caller claims overlapping batches in a different order.
          const order = [...keys.slice(process * 25), ...keys.slice(0, process * 25)]
          if (process % 2 === 1) order.reverse()
          for (let at = 0; at < count; at += 7)
            mine.push(...(await claimLeases(pool, order.slice(at, at + 9), { ...by, leasedBy: `p${process}` })))
          return mine
        }),
      )
      const all = claims.flat()
      expect(new Set(all.map((lease) => lease.from)).size).to.equal(count)
      expect(all).to.have.length(count)
      expect(new Set(all.map((lease) => lease.generation)).size).to.equal(count)
    })

    it('can neither commit nor report after it expired', async () => {
      await addLeases(pool, [{ worker: 'a', from: 0, to: 10 }])
      const paused = await claim(0)
      await elapse('lease_expires_at')
      expect((await reapLeases(pool)).queued.map((lease) => lease.from)).to.deep.equal([0])
      expect(await complete(paused), 'while it is queued').to.equal(0)
      expect(await failLeases(pool, [{ ...paused, error: poison }])).to.deep.equal([])
      const other = await claim(0)
      expect(await complete(paused)).to.equal(0)
      expect(await failLeases(pool, [{ ...paused, error: poison }])).to.deep.equal([])
      expect(await releaseLeases(pool, [paused])).to.equal(0)
      expect(await heartbeatLeases(pool, [paused, other], 60_000)).to.deep.equal([paused])
      expect(await complete(other)).to.equal(1)
      expect(await complete(paused)).to.equal(0)
      expect(await leaseLines(pool)).to.deep.equal(['a 0-10 done'])
    })

    it('cannot touch a longer lease with the same generation after a server crash', async () => {
      // A process claims 0-5 as generation N. The commit was asynchronous and the server crashes
      // before it is durable, which also undoes the split of 0-10 and the sequence increment. Then
      // 0-10 is claimed, again as generation N.
      await addLeases(pool, [
        { worker: 'a', from: 0, to: 5 },
        { worker: 'a', from: 5, to: 10 },
      ])
      const old = await claim(0)
      await clearFarm(pool)
      await addLeases(pool, [{ worker: 'a', from: 0, to: 10 }])
      await pool.query("select setval('app.lease_generation', $1, false)", [old.generation])
      const current = await claim(0)
      expect([current.generation, current.to]).to.deep.equal([old.generation, 10])

      expect(await complete(old)).to.equal(0)
      expect(await failLeases(pool, [{ ...old, error: poison }])).to.deep.equal([])
      expect(await releaseLeases(pool, [old])).to.equal(0)
      const stored = await pool.query('select xmin::text, * from app.worker_leases')
      expect(await heartbeatLeases(pool, [old], by.leaseMs * 100)).to.deep.equal([old])
      expect((await pool.query('select xmin::text, * from app.worker_leases')).rows).to.deep.equal(stored.rows)
      expect(await heartbeatLeases(pool, [current], by.leaseMs * 100)).to.deep.equal([])
      expect(await complete(current)).to.equal(1)
    })

    it('is queued unchanged after a release', async () => {
      await addLeases(pool, [{ worker: 'a', from: 0, to: 10 }])
      expect(await releaseLeases(pool, [await claim(0)])).to.equal(1)
      const [lease] = await storedLeases(pool)
      expect(lease).to.include({ status: 'queued', attempt: 0, expiries: 0 })
    })

    it('is deleted after a return, if it is still held', async () => {
      await addLeases(
        pool,
        [0, 10, 20].map((from) => ({ worker: 'a', from, to: from + 10 })),
      )
      const [first, second] = [await claim(0), await claim(10)]
      await returnLeases(pool, [first, { ...second, to: 15 }, { ...second, generation: 0 }, { ...first, from: 20 }])
      expect(await leaseLines(pool)).to.deep.equal(['a 10-20 active', 'a 20-30 queued'])
      await complete(second)
      await returnLeases(pool, [second, first])
      expect(await leaseLines(pool)).to.deep.equal(['a 10-20 done', 'a 20-30 queued'])
    })
  })

  describe('a heartbeat', () => {
    it('renews leases and returns revoked ones', async () => {
      await addLeases(
        pool,
        [0, 10, 20].map((from) => ({ worker: 'a', from, to: from + 10 })),
      )
      const leases = await claimLeases(pool, [key(0), key(10), key(20)], { ...by, leaseMs: 1 })
      await pool.query(`delete from app.worker_leases where from_height = 10`)
      expect(await heartbeatLeases(pool, leases, 60_000)).to.deep.equal(leases.filter((lease) => lease.from === 10))
      expect((await reapLeases(pool)).runs).to.deep.equal([])
    })

    it('does not renew leases with most of their time left', async () => {
      await addLeases(pool, [{ worker: 'a', from: 0, to: 10 }])
      const lease = await claim(0)
      const version = async (): Promise<unknown> =>
        (await pool.query('select xmin::text, lease_expires_at from app.worker_leases')).rows
      const before = await version()
      await heartbeatLeases(pool, [lease], by.leaseMs)
      expect(await version()).to.deep.equal(before)
      await heartbeatLeases(pool, [lease], by.leaseMs * 2)
      expect(await version()).to.not.deep.equal(before)
    })

    it('does not wait for a running commit, nor does the reaper', async () => {
      await addLeases(
        pool,
        [0, 10].map((from) => ({ worker: 'a', from, to: from + 10 })),
      )
      const leases = await claimLeases(pool, [key(0), key(10)], { ...by, leaseMs: 0 })
      const client = await pool.connect()
      await client.query('begin')
      const first = leases.filter((lease) => lease.from === 0)
      expect(await completeClaims(client, first)).to.equal(1)
      expect(await heartbeatLeases(pool, leases, 60_000)).to.deep.equal([])
      expect((await reapLeases(pool)).runs).to.deep.equal([])
      await client.query('commit')
      client.release()
      expect(await leaseLines(pool)).to.deep.equal(['a 0-10 done', 'a 10-20 active'])
    })
  })

  describe('a failure', () => {
    it('backs off up to the cap and is flagged after 20 retries', async () => {
      await addLeases(pool, [
        { worker: 'a', from: 7, to: 8 },
        { worker: 'a', from: 8, to: 9 },
      ])
      const pauses: number[] = []
      let runs = 0
      for (;;) {
        const lease = await claim(7)
        runs++
        const [ended] = await failLeases(pool, [{ ...lease, error: poison }])
        const [stored] = await storedLeases(pool)
        if (ended?.status === 'flagged') break
        pauses.push(stored?.pauseMs ?? NaN)
        expect(await requeueDueLeases(pool, ['a'])).to.deep.equal([])
        await elapse('not_before')
        expect((await requeueDueLeases(pool, ['a'])).map((due) => due.from)).to.deep.equal([7])
      }
      expect(runs).to.equal(21)
      for (const [i, pauseMs] of pauses.entries()) {
        const bound = Math.min(300_000, 1000 * 2 ** i)
        expect(pauseMs, `pause ${i + 1}`).to.be.within(bound / 2 - 1, bound + 1)
      }
      const [flagged, neighbour] = await storedLeases(pool)
      expect(flagged).to.include({
        status: 'flagged',
        attempt: 21,
        code: 'bad-block',
        error: poison.message,
        pauseMs: null,
      })
      expect(neighbour).to.include({ from: 8, status: 'queued', attempt: 0 })
    })

    it('of a bad block ends as one flagged block', async () => {
      const [bad, to] = [617, 1000]
      await addLeases(pool, [{ worker: 'a', from: 0, to }])
      let runs = 0
      let badRuns = 0
      for (;;) {
        const open = (await storedLeases(pool)).filter((lease) => lease.status === 'queued')
        if (open.length === 0) break
        for (const lease of await claimLeases(pool, open, by)) {
          runs++
          if (bad < lease.from || bad >= lease.to) await complete(lease)
          else {
            badRuns++
            await failLeases(pool, [{ ...lease, error: poison }])
          }
        }
        await elapse('not_before')
        await requeueDueLeases(pool, ['a'])
      }
      const leases = await storedLeases(pool)
      expect(
        leases.filter((lease) => lease.status !== 'done').map((lease) => [lease.from, lease.to, lease.status]),
      ).to.deep.equal([[bad, bad + 1, 'flagged']])
      expect(leases.reduce((sum, lease) => sum + lease.to - lease.from, 0)).to.equal(to)
      expect(badRuns).to.equal(21)
      expect(runs).to.be.at.most(21 + 10)
    })

    /**
     * Runs all open leases until none are left. @param fails whether a run of these heights fails
     */
    async function runAll(
      fails: (lease: ClaimedLease) => boolean,
      policy = defaultRetryPolicy,
    ): Promise<{ max: number }> {
      let max = 0
      for (;;) {
        const open = await storedLeases(pool)
        max = Math.max(max, open.length)
        const queued = open.filter((lease) => lease.status === 'queued')
        if (queued.length === 0) return { max }
        for (const lease of await claimLeases(pool, queued, by)) {
          if (fails(lease)) await failLeases(pool, [{ ...lease, error: poison }], policy)
          else await complete(lease)
        }
        await elapse('not_before')
        await requeueDueLeases(pool, ['a'])
      }
    }
    const thousands = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ worker: 'a', from: 1000 * i, to: 1000 * i + 1000 }))

    it('of all ranges of a worker halves none of them, and they complete when it recovers', async function () {
      this.timeout(60_000)
      await setCoverage(pool, { a: [{ from: 300_000, to: 400_000 }] })
      await pool.query("update app.indexing_checkpoints set succeeded_at = now() - interval '1 ms'")
      await addLeases(pool, thousands(300))
      const { max } = await runAll(() => true, { ...defaultRetryPolicy, maxRuns: 5 })
      expect(max).to.equal(300)
      const stored = await storedLeases(pool)
      expect(stored.every(({ status, attempt }) => status === 'flagged' && attempt === 5)).to.equal(true)
      await requeueLeases(
        pool,
        stored.map(({ from }) => key(from)),
      )
      await runAll(() => false)
      expect((await storedLeases(pool)).every(({ status }) => status === 'done')).to.equal(true)
    })

    it('of a worker with one range ends in a few ranges', async () => {
      await addLeases(pool, [{ worker: 'a', from: 0, to: 300_000 }])
      expect((await runAll(() => true)).max).to.equal(defaultRetryPolicy.maxFailingUnproven)
    })

    it('at every third block ends within the limit of failing ranges', async function () {
      this.timeout(60_000)
      await addLeases(pool, thousands(10))
      const policy = { ...defaultRetryPolicy, maxRuns: 6, maxFailing: 40 }
      for (
        let queued = await storedLeases(pool);
        queued.length > 0;
        queued = (await storedLeases(pool)).filter(({ status }) => status === 'queued')
      ) {
        for (const lease of await claimLeases(pool, queued, by)) {
          if (lease.to - lease.from > 1 || lease.from % 3 === 0)
            await failLeases(pool, [{ ...lease, error: poison }], policy)
          else await complete(lease)
        }
        await elapse('not_before')
        await requeueDueLeases(pool, ['a'])
      }
      expect((await storedLeases(pool)).filter(({ status }) => status === 'flagged').length).to.be.at.most(40)
    })

    it('of two bad blocks among many ranges ends as two flagged blocks, even beside older flagged ones', async () => {
      await addLeases(pool, [
        ...thousands(20),
        ...Array.from({ length: 30 }, (_, i) => ({
          worker: 'a',
          from: 50_000 + i,
          to: 50_001 + i,
          status: 'flagged' as const,
          attempt: 21,
        })),
      ])
      await pool.query("update app.worker_leases set last_error = 'old' where status = 'flagged'")
      await runAll(({ from, to }) => [3, 7777].some((bad) => from <= bad && bad < to))
      const unfinished = (await storedLeases(pool)).filter(({ status, from }) => status !== 'done' && from < 50_000)
      expect(unfinished.map(({ from, to, status, attempt }) => [from, to, status, attempt])).to.deep.equal([
        [3, 4, 'flagged', 21],
        [7777, 7778, 'flagged', 21],
      ])
    })

    it('halves a range at the second attempt; halves inherit the attempts', async () => {
      await addLeases(pool, [{ worker: 'a', from: 0, to: 5, attempt: 1 }])
      const [ended] = await failLeases(pool, [{ ...(await claim(0)), error: poison }])
      expect(ended).to.deep.include({ from: 0, to: 2, status: 'failed', attempt: 2, isHalved: true })
      const halves = await storedLeases(pool)
      expect(halves.map((half) => [half.from, half.to, half.status, half.attempt, half.code])).to.deep.equal([
        [0, 2, 'failed', 2, 'bad-block'],
        [2, 5, 'failed', 2, 'bad-block'],
      ])
      for (const half of halves) expect(half.pauseMs).to.be.within(499, 1001)
    })

    it('that is retryable does not split the range', async () => {
      await addLeases(pool, [{ worker: 'a', from: 0, to: 5, attempt: 19 }])
      const lost = new RetryableError('database-connection-lost', 'gone\0')
      const [ended] = await failLeases(pool, [{ ...(await claim(0)), error: lost }])
      expect(ended).to.include({ to: 5, status: 'failed', attempt: 20, isHalved: false })
      await elapse('not_before')
      await requeueDueLeases(pool, ['a'])
      expect((await failLeases(pool, [{ ...(await claim(0)), error: lost }]))[0]).to.include({
        to: 5,
        status: 'flagged',
        attempt: 21,
      })
    })

    it('to get a connection or a lock does not count as an attempt', async () => {
      await addLeases(pool, [{ worker: 'a', from: 0, to: 5, attempt: 19 }])
      for (const code of [
        'database-unreachable',
        'database-starting',
        'too-many-connections',
        'lock-not-available',
        'lock-not-available',
      ]) {
        const [ended] = await failLeases(pool, [{ ...(await claim(0)), error: new RetryableError(code, 'waited') }])
        expect(ended).to.include({ to: 5, status: 'failed', attempt: 19, isHalved: false })
        await elapse('not_before')
        await requeueDueLeases(pool, ['a'])
      }
    })

    it('is recorded for many leases in one statement', async () => {
      await addLeases(pool, [
        { worker: 'b', from: 0, to: 1 },
        { worker: 'a', from: 5, to: 6 },
      ])
      const leases = await claimLeases(pool, [key(0, 'b'), key(5)], by)
      const ended = await failLeases(
        pool,
        leases.map((lease) => ({ ...lease, error: new Error(`${lease.worker} is at fault`) })),
      )
      expect(ended).to.have.length(2)
      expect((await storedLeases(pool)).map((lease) => lease.error)).to.deep.equal(['a is at fault', 'b is at fault'])
    })
  })

  describe('an expiry', () => {
    it('requeues immediately the first time and is counted', async () => {
      await addLeases(pool, [{ worker: 'a', from: 0, to: 8 }])
      await claim(0)
      expect((await reapLeases(pool)).runs).to.deep.equal([])
      await elapse('lease_expires_at')
      const { runs, queued } = await reapLeases(pool)
      expect(runs).to.have.length(1)
      expect(queued).to.have.length(1)
      expect((await storedLeases(pool))[0]).to.include({
        status: 'queued',
        attempt: 1,
        expiries: 1,
        code: 'lease-expired',
        error: 'host:1:a did not renew the lease in time',
      })
    })

    it('that repeats ends as one flagged block', async () => {
      const bad = 3
      await addLeases(pool, [{ worker: 'a', from: 0, to: 8 }])
      let badRuns = 0
      for (;;) {
        const open = (await storedLeases(pool)).filter((lease) => lease.status === 'queued')
        if (open.length === 0) break
        for (const lease of await claimLeases(pool, open, by)) {
          if (bad < lease.from || bad >= lease.to) await complete(lease)
          else badRuns++
        }
        await elapse('lease_expires_at')
        await reapLeases(pool)
        await elapse('not_before')
        await requeueDueLeases(pool, ['a'])
      }
      const unfinished = (await storedLeases(pool)).filter((lease) => lease.status !== 'done')
      expect(unfinished.map((lease) => [lease.from, lease.to, lease.status, lease.attempt])).to.deep.equal([
        [bad, bad + 1, 'flagged', 21],
      ])
      expect(badRuns).to.equal(21)
    })
  })

  describe('an operator', () => {
    beforeEach(() =>
      addLeases(pool, [
        { worker: 'a', from: 0, to: 10, status: 'flagged', attempt: 21 },
        { worker: 'a', from: 10, to: 20, status: 'failed', attempt: 3 },
        { worker: 'a', from: 20, to: 30, status: 'active', attempt: 1 },
      ]),
    )
    const keys = [0, 10, 20].map((from) => key(from))

    it('lists them a page at a time', async () => {
      await addLeases(pool, [
        { worker: 'b', from: 0, to: 1, status: 'flagged' },
        { worker: 'b', from: 1, to: 2, status: 'done' },
      ])
      const filter = { workers: ['a', 'b'], statuses: ['flagged', 'failed'] as const, limit: 2 }
      const first = await listLeases(pool, filter)
      expect(first.map(({ worker, from, to, status, attempt }) => [worker, from, to, status, attempt])).to.deep.equal([
        ['a', 0, 10, 'flagged', 21],
        ['a', 10, 20, 'failed', 3],
      ])
      const after = first.at(-1) as LeaseKey
      expect((await listLeases(pool, { ...filter, after })).map(({ worker, from }) => [worker, from])).to.deep.equal([
        ['b', 0],
      ])
    })

    it('requeues', async () => {
      expect(await requeueLeases(pool, keys)).to.equal(2)
      expect((await storedLeases(pool)).map((lease) => [lease.status, lease.attempt])).to.deep.equal([
        ['queued', 0],
        ['queued', 0],
        ['active', 1],
      ])
      expect((await reenqueueLeases(pool, ['a'], 60_000)).map((lease) => lease.from)).to.have.members([0, 10])
      expect(await reenqueueLeases(pool, ['a'], 60_000)).to.deep.equal([])
    })

    it('splits', async () => {
      expect(await splitLeases(pool, keys, 3)).to.equal(6)
      expect(await leaseLines(pool)).to.deep.equal([
        'a 0-4 queued',
        'a 4-8 queued',
        'a 8-10 queued',
        'a 10-14 queued',
        'a 14-18 queued',
        'a 18-20 queued',
        'a 20-30 active',
      ])
      await pool.query(`update app.worker_leases set status = 'flagged' where status = 'queued'`)
      expect(await splitLeases(pool, [key(0)], 100)).to.equal(4)
    })

    it('skips, with a reason', async () => {
      expect(await skipLeases(pool, keys, 'lost for ever')).to.equal(2)
      expect((await storedLeases(pool)).map((lease) => [lease.status, lease.reason])).to.deep.equal([
        ['skipped', 'lost for ever'],
        ['skipped', 'lost for ever'],
        ['active', null],
      ])
      const refused = await skipLeases(pool, keys, ' ').catch((error: unknown) => error)
      expect(refused).to.include({ code: 'skip-without-reason' })
    })
  })

  it('of removed workers are deleted, except skipped ones', async () => {
    await addLeases(pool, [
      { worker: 'a', from: 0, to: 1 },
      { worker: 'gone', from: 0, to: 1 },
      { worker: 'gone', from: 1, to: 2, status: 'skipped' },
    ])
    expect(await pruneLeases(pool, ['a'], 60_000)).to.equal(0)
    expect(await pruneLeases(pool, ['a'], -1)).to.equal(1)
    expect(await leaseLines(pool)).to.deep.equal(['a 0-1 queued', 'gone 1-2 skipped'])
  })

  it('never overlap and never lose a height', async () => {
    const step = fc.constantFrom('claim', 'complete', 'fail', 'lose', 'expire', 'due', 'requeue', 'split', 'skip')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        await clearFarm(pool)
        await setCoverage(pool, { a: [] })
        await addLeases(pool, [
          { worker: 'a', from: 0, to: 37 },
          { worker: 'a', from: 37, to: 40 },
        ])
        let mine: ClaimedLease[] = []
        for (const name of steps) {
          const keys = (await storedLeases(pool)).map((lease) => key(lease.from))
          if (name === 'claim') mine.push(...(await claimLeases(pool, keys.slice(0, 3), by)))
          else if (name === 'complete') await complete(...mine.splice(0, 1))
          else if (name === 'fail')
            await failLeases(
              pool,
              mine.splice(0, 2).map((lease) => ({ ...lease, error: poison })),
            )
          else if (name === 'lose') mine = []
          else if (name === 'expire') {
            await elapse('lease_expires_at')
            await reapLeases(pool)
          } else if (name === 'due') {
            await elapse('not_before')
            await requeueDueLeases(pool, ['a'])
          } else if (name === 'requeue') await requeueLeases(pool, keys)
          else if (name === 'split') await splitLeases(pool, keys.slice(0, 2), 2)
          else await skipLeases(pool, keys.slice(0, 1), 'test')
          let next = 0
          for (const lease of await storedLeases(pool)) {
            expect(lease.from, steps.join(' ')).to.equal(next)
            expect(lease.attempt).to.be.at.most(defaultRetryPolicy.maxRuns)
            next = lease.to
          }
          expect(next).to.equal(40)
        }
      }),
      { numRuns: 40 },
    )
  })
})
