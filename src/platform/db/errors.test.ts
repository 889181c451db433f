import { connect } from 'node:net'
import { once } from 'node:events'
import { expect } from 'chai'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { ApiError, FatalError, RetryableError } from '../errors.ts'
import { asDatabaseError, isConnectionLost } from './errors.ts'
import { createPool, query, type PoolOptions } from './pool.ts'

describe('asDatabaseError', () => {
  let db: TestDatabase
  before(async () => {
    db = await createEmptyDatabase()
  })
  after(() => db.drop())

  async function errorOf(sql: string, options: PoolOptions = {}): Promise<RetryableError | FatalError> {
    const pool = createPool(db.url, { max: 1, ...options })
    try {
      await query(pool, sql)
    } catch (error) {
      if (error instanceof RetryableError || error instanceof FatalError) return error
      throw error
    } finally {
      await pool.end()
    }
    throw new Error('the statement succeeded')
  }

  const raise = (state: string): string => `DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${state}'; END $$`

  for (const [state, code] of Object.entries({
    '08006': 'database-connection-lost',
    '57P01': 'database-connection-lost',
    '57P03': 'database-starting',
    '25P03': 'database-connection-lost',
    '25006': 'database-read-only',
    '40001': 'transaction-conflict',
    '40P01': 'transaction-conflict',
    '53100': 'disk-full',
    '53200': 'database-overloaded',
    '53300': 'too-many-connections',
    '55P03': 'lock-not-available',
    '58030': 'database-io-error',
  })) {
    it(`classifies SQLSTATE ${state} as retryable: ${code}`, async () => {
      const error = await errorOf(raise(state))
      expect(error).to.be.instanceOf(RetryableError)
      expect(error.code).to.equal(code)
    })
  }

  for (const state of ['23505', '42601', '22P02', 'XX000', '57P04']) {
    it(`classifies SQLSTATE ${state} as fatal`, async () => {
      const error = await errorOf(raise(state))
      expect(error).to.be.instanceOf(FatalError)
      expect(error.details['sqlState']).to.equal(state)
    })
  }

  it('classifies a statement timeout as retryable', async () => {
    expect((await errorOf('SELECT pg_sleep(60)', { statementTimeoutMs: 5 })).code).to.equal('statement-timeout')
  })

  it('classifies an idle-in-transaction timeout as a lost connection', async () => {
    const pool = createPool(db.url, { idleInTransactionTimeoutMs: 5 })
    const client = await pool.connect()
    await client.query('BEGIN')
    const ended = Promise.withResolvers<void>()
    client.once('end', () => ended.resolve())
    await ended.promise
    const error = await client.query('SELECT 1').catch((thrown: unknown) => thrown)
    expect(isConnectionLost(error)).to.equal(true)
    client.release(true)
    await pool.end()
  })

  it('classifies a refused connection to one or all addresses as unreachable', async () => {
    const socket = connect({ host: 'localhost', port: 1, autoSelectFamily: true })
    const [error] = (await once(socket, 'error').catch((thrown: unknown) => [thrown])) as [Error]
    expect(asDatabaseError(error).code).to.equal('database-unreachable')
    expect(isConnectionLost(new AggregateError([error]))).to.equal(true)
  })

  it('returns flowfarm errors unchanged and does not retry program errors', () => {
    const ours = new ApiError(404, 'unknown-block', 'no such block')
    expect(asDatabaseError(ours)).to.equal(ours)
    expect(asDatabaseError(new TypeError('undefined is not a function'))).to.be.instanceOf(FatalError)
    expect(isConnectionLost(new RangeError('no'))).to.equal(false)
  })
})
