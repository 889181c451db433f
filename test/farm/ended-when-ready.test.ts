import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { RetryableError } from '../../src/platform/errors.ts'
import { createPostgresWorkQueue } from '../../src/farm/queues/postgres-work-queue.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

/**
 * PostgreSQL protocol messages: ReadyForQuery, which completes session startup, and BackendKeyData.
 */
const ready = Buffer.from('5a0000000549', 'hex')
const backendKey = Buffer.from('4b0000000c', 'hex')
const log = pino({ level: 'silent' })

describe('queue sessions terminated by an administrator during startup', () => {
  let database: TestDatabase
  let proxy: Server
  /** Called once per session. */
  let isDoomed: () => boolean
  let ended: number

  before(async () => {
    database = await createTestDatabase()
    await (await createPostgresWorkQueue(database.url, log)).close()
    const { hostname, port } = new URL(database.url)
    const host = decodeURIComponent(hostname)
    proxy = createServer((client) => {
      const server = host.startsWith('/')
        ? connect({ path: `${host}/.s.PGSQL.${port}` })
        : connect({ host, port: Number(port) })
      for (const [socket, other] of [
        [client, server],
        [server, client],
      ] as const) {
        socket.on('error', () => other.destroy())
        socket.on('close', () => other.end())
      }
      client.on('data', (data) => server.write(data))
      if (isDoomed()) endWhenReady(server, client)
      else server.on('data', (data) => client.write(data))
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
  })
  after(async () => {
    proxy.close()
    await database.drop()
  })

  /** The client receives the session start and its termination in one packet. */
  function endWhenReady(server: Socket, client: Socket): void {
    let held = Buffer.alloc(0)
    let isReady = false
    server.on('data', (data) => {
      held = Buffer.concat([held, data])
      if (isReady || !held.includes(ready)) return
      isReady = true
      void database.pool.query('select pg_terminate_backend($1)', [
        held.readInt32BE(held.indexOf(backendKey) + backendKey.length),
      ])
    })
    server.on('end', () => {
      ended++
      client.end(held)
    })
  }

  for (let spared = 0; spared < 4; spared++) {
    it(`do not terminate the process: all but the first ${spared}`, async () => {
      const { port } = proxy.address() as AddressInfo
      const url = new URL(database.url)
      let sessions = 0
      ended = 0
      isDoomed = () => sessions++ >= spared
      const opening = createPostgresWorkQueue(`postgres://${url.username}@127.0.0.1:${port}${url.pathname}`, log)
      try {
        const queue = await opening
        const working = queue.work('worker', 1, () => Promise.resolve()).catch((error: unknown) => error)
        for (;;) {
          if (ended >= 3) break
          await delay(5)
        }
        await queue.close()
        await working
      } catch (error) {
        expect(error).to.be.instanceOf(RetryableError)
      }
      expect(ended).to.be.greaterThan(0)
    })
  }
})
