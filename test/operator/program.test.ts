import { expect } from 'chai'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { SseClient } from '../support/sse-client.ts'
import { Stopwatch } from '../support/stopwatch.ts'

describe('operator in the program', () => {
  let database: TestDatabase
  let program: FlowfarmProcess

  before(async () => {
    database = await createTestDatabase()
    program = new FlowfarmProcess(['api'], {
      DB_URL: database.url,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_TOKEN: 'secret',
      TRUSTED_PROXIES: '127.0.0.1',
    })
  })

  after(async () => {
    await program.end('SIGKILL')
    await database.drop()
  })

  it('throttles token guessing per client behind a trusted proxy', async () => {
    const url = `http://127.0.0.1:${String((await program.logged(/API listening/))['port'])}/operator/api/overview`
    const requested = async (client: string, guess: string): Promise<number> =>
      (await fetch(url, { headers: { 'X-Forwarded-For': client, Authorization: `Bearer ${guess}` } })).status
    for (let i = 0; i < 10; i++) expect(await requested('192.0.2.1', `guess ${i}`)).to.equal(401)
    expect(await requested('192.0.2.1', 'secret')).to.equal(429)
    expect(await requested('192.0.2.2', 'secret')).to.equal(200)
  })

  it('shares the port of the explorer API, requires ADMIN_TOKEN, and does not delay shutdown', async () => {
    const url = `http://127.0.0.1:${String((await program.logged(/API listening/))['port'])}`
    const page = await fetch(`${url}/operator`)
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect((await fetch(`${url}/operator/api/overview`)).status).to.equal(401)
    const headers = { Authorization: 'Bearer secret' }
    const board = await fetch(`${url}/operator/queues`, { headers })
    expect(await board.text()).to.include('flowfarm queues')
    const client = new SseClient(`${url}/operator/api/stream`, headers)
    await client.next(({ event }) => event === 'overview')
    const requestedAt = new Stopwatch()
    const ended = program.end('SIGTERM')
    await client.ended()
    expect(client.events.at(-1)).to.include({ event: 'bye' })
    expect(await ended, program.output()).to.equal(0)
    await requestedAt.expectBelow(10_000)
    expect(program.log.filter(({ level }) => level === 'error' || level === 'fatal')).to.deep.equal([])
    expect(program.output()).to.not.include('secret')
  })
})
