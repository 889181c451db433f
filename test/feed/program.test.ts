import { expect } from 'chai'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { startRecordedNode } from '../support/replay.ts'
import { ClientChain } from '../support/client-chain.ts'

interface RunningApi {
  readonly program: FlowfarmProcess
  readonly feed: string
}

describe('the live feed of the whole program', () => {
  let database: TestDatabase
  const programs: FlowfarmProcess[] = []

  before(async () => {
    database = await createTestDatabase()
  })

  after(async () => {
    await Promise.all(programs.map((program) => program.end('SIGTERM')))
    await database.drop()
  })

  function run(service: string, variables: Record<string, string> = {}): FlowfarmProcess {
    const program = new FlowfarmProcess([service], { DB_URL: database.url, HOST: '127.0.0.1', PORT: '0', ...variables })
    programs.push(program)
    return program
  }

  async function runApi(): Promise<RunningApi> {
    const program = run('api')
    const { port } = await program.logged(/API listening/)
    return { program, feed: `127.0.0.1:${String(port)}/ws` }
  }

  it('loses and duplicates nothing while API processes are killed and restarted over two forks', async () => {
    await using node = await startRecordedNode('fork', { version: 'a' })
    run('ingest', { CHAIN_ACCESS_NODE: node.endpoint })
    const [first, other] = await Promise.all([runApi(), runApi()])
    const stays = await FeedClient.connect(other.feed)
    await stays.subscribe({ from: 0 })
    const staying = new ClientChain()
    const moving = new ClientChain()
    let received = 0
    /**
     * Applies messages of both clients until the last block of a version of the chain has arrived.
     */
    const readUntil = async (height: number, moves: FeedClient): Promise<void> => {
      const isLast = ({ type, payload }: { type: string; payload: Readonly<Record<string, unknown>> }): boolean =>
        type === 'new_block' && payload['height'] === height
      await Promise.all([stays.find(isLast), moves.find(isLast)])
      await allOf(stays, height)
      await allOf(moves, height)
      for (const message of stays.updates.slice(received)) staying.accept(message)
      received = stays.updates.length
      for (const message of moves.updates) moving.accept(message)
    }
    const resume = async (feed: string): Promise<FeedClient> => {
      const client = await FeedClient.connect(feed)
      expect((await client.subscribe(moving.mark === undefined ? { from: 0 } : { after: moving.mark })).type).to.equal(
        'subscribed',
      )
      return client
    }

    const onFirst = await resume(first.feed)
    await readUntil(20, onFirst)
    const broken = onFirst.closed()
    await first.program.end('SIGKILL')
    await broken
    node.switchTo('b')
    const second = await runApi()
    const onSecond = await resume(second.feed)
    await readUntil(27, onSecond)
    const closed = onSecond.closed()
    expect(await second.program.end('SIGTERM')).to.equal(0)
    expect((await closed).code).to.equal(1001)
    node.switchTo('c')
    const onOther = await resume(other.feed)
    await readUntil(40, onOther)

    const { rows } = await database.pool.query<{ height: number; id: string; transactions: string[] }>(`
      select height::int4, encode(id, 'hex') as id,
        array(select encode(t.id, 'hex') from raw.transactions t where t.block_height = height order by tx_index) as transactions
      from raw.blocks order by height
    `)
    expect(rows).to.have.length(41)
    for (const seen of [staying, moving]) {
      expect([...seen.blocks]).to.deep.equal(rows.map(({ height, id }) => [height, id]))
      expect([...seen.transactions]).to.deep.equal(
        rows
          .filter(({ transactions }) => transactions.length > 0)
          .map(({ height, transactions }) => [height, transactions]),
      )
    }
    expect(staying.rollbacks).to.deep.equal([13, 25])
    expect(moving.rollbacks).to.have.length(2)
    await Promise.all([stays.close(), onOther.close()])
  })

  /** Resolves when the client has all transactions of the stored block at a height. */
  async function allOf(client: FeedClient, height: number): Promise<void> {
    const {
      rows: [block],
    } = await database.pool.query<{ seq: string }>(
      "select height || '.' || tx_count || '.' || left(encode(id, 'hex'), 16) as seq from raw.blocks where height = $1",
      [height],
    )
    await client.find(({ seq }) => seq === block?.seq)
  }
})
