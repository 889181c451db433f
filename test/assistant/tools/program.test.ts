import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { FlowfarmProcess } from '../../support/flowfarm-process.ts'
import { clients } from '../mcp/support/mcp-clients.ts'
import { startEvmNode } from './support/evm-node.ts'
import type { EvmNode } from './support/evm-node.ts'

describe('flowfarm as tool servers', () => {
  let database: TestDatabase
  let node: EvmNode
  let program: FlowfarmProcess

  before(async () => {
    database = await createTestDatabase()
    node = await startEvmNode(() => '0xde0b6b3a7640000')
    program = new FlowfarmProcess(['tools'], {
      DB_URL: database.url,
      HOST: '0.0.0.0',
      TOOLS_PORT: '0',
      EVM_RPC_URL: node.url,
    })
  })
  after(async () => {
    expect(await program.end('SIGTERM')).to.equal(0)
    await node.stop()
    await database.drop()
  })

  it('checks Cadence, serves documentation and skills, and reads an EVM node, for local programs only', async () => {
    const { port, host } = await program.logged(/^Tool servers listening/)
    expect(host).to.equal('127.0.0.1')
    const origin = `http://127.0.0.1:${String(port)}`
    const connect = clients.at(-1)?.connect
    const [script, evm] = await Promise.all([connect?.(`${origin}/script/mcp`), connect?.(`${origin}/evm/mcp`)])
    expect((await script?.call('script_check', { code: 'access(all) fun main() {}' }))?.structuredContent).to.include({
      is_valid: true,
    })
    const listed = await script?.call('browse_docs', {})
    const documents = listed?.structuredContent?.['documents'] as readonly { readonly id: string }[] | undefined
    expect(documents?.map(({ id }) => id)).to.include.members([
      'skills/cadence',
      'reference/scripts',
      'docs/tables',
      'docs/query-and-mcp',
    ])
    expect((await script?.call('get_doc', { id: 'reference/scripts' }))?.content[0]?.text).to.include(
      '0x1654653399040a61',
    )
    expect((await evm?.call('evm_getBalance', { address: `0x${'0'.repeat(40)}` }))?.structuredContent).to.include({
      flow: '1',
    })
    await script?.close()
    await evm?.close()
  })
})
