import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { addressList, clientReader } from '../../../src/platform/limits/clients.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { createImportWorkspaces } from '../../../src/editor/imports/create-import-workspaces.ts'
import type { ContractWorkspaces } from '../../../src/editor/imports/create-import-workspaces.ts'
import { findLanguageServer } from '../../../src/editor/language-server/find-language-server.ts'
import type { LanguageServerProgram } from '../../../src/editor/language-server/find-language-server.ts'
import { createLspServer } from '../../../src/editor/lsp/lsp-server.ts'
import { defaultLspLimits } from '../../../src/editor/language-server/lsp-limits.ts'
import type { LspLimits } from '../../../src/editor/language-server/lsp-limits.ts'
import type { LspServer } from '../../../src/editor/lsp/lsp-server.ts'
import { cadenceCli } from '../language-servers/cadence-cli.ts'
import { startRecordedContracts } from '../language-servers/recorded-contracts.ts'
import type { RecordedContracts } from '../language-servers/recorded-contracts.ts'
import { LspClient, messagesOf } from './support/lsp-client.ts'
import type { ReceivedMessage } from './support/lsp-client.ts'

const log = pino({ level: 'silent' })
const main = 'file:///scripts/main.cdc'

const balance = `import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79

access(all) fun main(address: Address): UFix64 {
    let seen = getAccount(address).capabilities.borrow<&{FungibleToken.Balance}>(/public/flowTokenBalance)!
    let made: @FlowToken.Vault <- FlowToken.createEmptyVault(vaultType: Type<@FlowToken.Vault>())
    let vault: @{FungibleToken.Vault} <- made
    destroy vault
    return seen.balance
}
`

/** Position at an offset from the start of a substring. */
function at(text: string, piece: string, more = 0): { line: number; character: number } {
  const lines = text.slice(0, text.indexOf(piece)).split('\n')
  return { line: lines.length - 1, character: (lines.at(-1) ?? '').length + more }
}

function hoverText({ result, error }: ReceivedMessage): string {
  if (error !== undefined) throw new Error(error.message)
  return (result as { contents: { value: string } } | null)?.contents.value ?? ''
}

/** Waits until the latest diagnostics of a document match. */
async function faults(
  client: LspClient,
  uri: string,
  isSo: (messages: string[]) => boolean,
  from = 0,
): Promise<string[]> {
  const { params } = await client.next(
    ({ method, params: reported }) =>
      method === 'textDocument/publishDiagnostics' && reported?.['uri'] === uri && isSo(messagesOf(reported)),
    from,
  )
  return messagesOf(params)
}

describe('language server channel with the CLI checker and recorded imports', function (this: Mocha.Suite) {
  let program: LanguageServerProgram
  let chain: RecordedContracts
  let root: string
  let workspaces: ContractWorkspaces
  let server: LspServer
  let metrics: Metrics
  const clients: LspClient[] = []

  before(async function () {
    program = await findLanguageServer({ choice: 'cli', command: cadenceCli() ?? this.skip(), log })
    chain = await startRecordedContracts()
  })

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'flowfarm-cli-channel-'))
    workspaces = await createImportWorkspaces({ root, source: chain.source, log })
    await start()
  })

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()))
    await server.close()
    await workspaces.close()
    const left = await readdir(root)
    await rm(root, { recursive: true })
    expect(left).to.deep.equal([])
  })

  after(async () => chain?.[Symbol.asyncDispose]())

  async function start(limits: Partial<LspLimits> = {}): Promise<void> {
    metrics = new Metrics()
    server = await createLspServer({
      host: '127.0.0.1',
      port: 0,
      log,
      metrics,
      clientOf: clientReader(addressList([])),
      program,
      workspaces,
      networks: ['emulator'],
      limits: { backoffMs: 10, ...limits },
    })
  }

  async function opened(): Promise<LspClient> {
    const client = await LspClient.ready(server.port, 'emulator')
    clients.push(client)
    return client
  }

  /** A client whose document has been checked with all its imports. */
  async function withBalance(): Promise<LspClient> {
    const client = await opened()
    client.didOpen(main, balance)
    await faults(client, main, (messages) => messages.length === 0)
    return client
  }

  it('has types across contracts, without false errors', async () => {
    const client = await withBalance()
    const fetched = client.received
      .filter(({ method }) => method === 'flow/dependencyResolved')
      .map(({ params }) => params?.['contractName'])
    expect(fetched).to.have.members(['FlowToken', 'FungibleToken'])
    client.didChange(main, balance.replace('return seen.balance', 'return seen.nothing'), 2)
    const [message] = await faults(client, main, (messages) => messages.length > 0, client.received.length)
    expect(message).to.match(/has no member `nothing`/)
    expect(client.texts.join('\n')).to.not.include(root)
  })

  it('returns hovers and completions with types', async () => {
    const client = await withBalance()
    const hover = await client.ask('textDocument/hover', {
      textDocument: { uri: main },
      position: at(balance, 'made: @', 1),
    })
    expect(hoverText(hover)).to.match(/FlowToken\.Vault/)
    const { result } = await client.ask('textDocument/completion', {
      textDocument: { uri: main },
      position: at(balance, 'seen.balance', 5),
    })
    expect((result as { label: string }[]).map(({ label }) => label)).to.include('balance')
  })

  it('resolves go-to-definition into contracts and other documents', async () => {
    const client = await withBalance()
    const places = []
    for (const [piece, more] of [
      ['createEmptyVault', 1],
      ['Balance}>', 1],
    ] as const) {
      const { result } = await client.ask('textDocument/definition', {
        textDocument: { uri: main },
        position: at(balance, piece, more),
      })
      places.push((result as { uri: string }).uri)
    }
    expect(places).to.deep.equal([
      'file:///deps/0ae53cb6e3f42a79/FlowToken.cdc',
      'file:///deps/ee82856bf20e2aa6/FungibleToken.cdc',
    ])
    client.didOpen(
      'file:///contracts/Own.cdc',
      'access(all) contract Own {\n    access(all) fun one(): Int { return 1 }\n}',
    )
    const user = 'import "Own"\naccess(all) fun main(): Int { return Own.one() }'
    client.didOpen('file:///user.cdc', user)
    await faults(client, 'file:///user.cdc', (messages) => messages.length === 0)
    const { result } = await client.ask('textDocument/definition', {
      textDocument: { uri: 'file:///user.cdc' },
      position: at(user, 'one()', 1),
    })
    expect(result).to.deep.include({ uri: 'file:///contracts/Own.cdc' })
    // Dependents of a changed document are checked again without an edit.
    const from = client.received.length
    client.didChange(
      'file:///contracts/Own.cdc',
      'access(all) contract Own {\n    access(all) fun two(): Int { return 1 }\n}',
      2,
    )
    const [message] = await faults(client, 'file:///user.cdc', (messages) => messages.length > 0, from)
    expect(message).to.match(/has no member `one`/)
  })

  it('isolates equal document names', async () => {
    const [one, two] = [await opened(), await opened()]
    const own = 'file:///contracts/Own.cdc'
    const user = 'import "Own"\naccess(all) fun main(): Int {\n    let made = Own.value()\n    return made\n}'
    for (const [client, type, value] of [
      [one, 'Int', '1'],
      [two, 'String', '"x"'],
    ] as const) {
      client.didOpen(own, `access(all) contract Own {\n    access(all) fun value(): ${type} { return ${value} }\n}`)
      client.didOpen(main, user)
    }
    expect(await faults(two, main, (messages) => messages.length > 0)).to.match(/mismatched types/i)
    expect(await faults(one, main, () => true)).to.deep.equal([])
    for (const [client, type] of [
      [one, 'Int'],
      [two, 'String'],
    ] as const) {
      const hover = await client.ask('textDocument/hover', {
        textDocument: { uri: main },
        position: at(user, 'made =', 1),
      })
      expect(hoverText(hover)).to.include(type)
    }
    expect(one.diagnosticsOf(main).flat()).to.deep.equal([])
  })

  it('rechecks all documents after its process was killed', async () => {
    const client = await withBalance()
    client.didOpen('file:///wrong.cdc', 'access(all) fun main(): Int { return "text" }')
    await faults(client, 'file:///wrong.cdc', (messages) => messages.length > 0)
    const pid = server.pidOf('emulator') ?? 0
    const from = client.received.length
    process.kill(pid, 'SIGKILL')
    expect(await faults(client, main, () => true, from)).to.deep.equal([])
    expect(await faults(client, 'file:///wrong.cdc', () => true, from)).to.match(/mismatched types/i)
    expect(server.pidOf('emulator')).to.not.equal(pid)
    const hover = await client.ask('textDocument/hover', {
      textDocument: { uri: main },
      position: at(balance, 'made: @', 1),
    })
    expect(hoverText(hover)).to.match(/FlowToken\.Vault/)
  })

  it('checks the largest allowed document, and reports a larger one as unchecked', async () => {
    const client = await opened()
    const line = (n: number): string =>
      `access(all) struct S${n} { access(all) let a: Int; init() { self.a = ${n} } }\n`
    let text = ''
    for (let n = 0; text.length + line(n).length <= defaultLspLimits.documentBytes; n++) text += line(n)
    client.didOpen(main, text)
    await faults(client, main, () => true)
    client.didChange(main, text + line(0), 2)
    const [message] = await faults(client, main, (messages) => messages.length > 0, client.received.length)
    expect(message).to.match(/not checked: it has more than 262144 bytes/)
    expect(client.received.some(({ method }) => method === 'flow/serverStatus')).to.equal(false)
  })

  it('restarts the process above its memory limit without losing documents', async () => {
    const first = await opened()
    first.didOpen(main, 'access(all) fun main() {}')
    await faults(first, main, () => true)
    const atRest = await residentBytes(server.pidOf('emulator') ?? 0)
    await first.close()
    await server.close()
    await start({ serverMemoryBytes: atRest + 30 * 1024 * 1024, probeMs: 5, stableMs: 0 })
    const client = await opened()
    client.didOpen('file:///stays.cdc', 'access(all) fun main(): Int { return "text" }')
    await faults(client, 'file:///stays.cdc', (messages) => messages.length > 0)
    const isRestart = ({ method, params }: ReceivedMessage): boolean =>
      method === 'flow/serverStatus' && params?.['state'] === 'restarting'
    const large = Array.from(
      { length: 3000 },
      (_, n) => `access(all) struct S${n} { access(all) let a: Int; init() { self.a = ${n} } }`,
    ).join('\n')
    for (let n = 0; !client.received.some(isRestart); n++) {
      const from = client.received.length
      client.didOpen(`file:///large-${n}.cdc`, large)
      await client.next((message) => isRestart(message) || message.params?.['uri'] === `file:///large-${n}.cdc`, from)
      client.notify('textDocument/didClose', { textDocument: { uri: `file:///large-${n}.cdc` } })
    }
    expect(await metrics.registry.getSingleMetricAsString('flowfarm_lsp_restarts_total')).to.match(
      /reason="memory"} [1-9]/,
    )
    const from = client.received.findIndex(isRestart)
    expect(await faults(client, 'file:///stays.cdc', () => true, from)).to.match(/mismatched types/i)
  })
})

/** Resident memory of a process. */
async function residentBytes(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1]) * 4096
}
