import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { createImportWorkspaces } from '../../../src/editor/imports/create-import-workspaces.ts'
import type { ContractSource } from '../../../src/editor/imports/account-cache.ts'
import { parserProgram } from '../../../src/editor/language-server/find-language-server.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { FlowfarmProcess } from '../../support/flowfarm-process.ts'
import { RawWebSocket } from '../../support/raw-websocket.ts'
import { LspClient } from '../lsp/support/lsp-client.ts'
import { cadenceCli } from './cadence-cli.ts'

const main = 'file:///main.cdc'
const source: ContractSource = { contractsOf: () => Promise.resolve(undefined) }
const log = pino({ level: 'silent' })

describe('a killed editor process', function (this: Mocha.Suite) {
  let database: TestDatabase
  let folder: string

  before(async function () {
    if (!existsSync('/proc/self/cwd')) this.skip()
    database = await createTestDatabase()
  })

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'flowfarm-left-')))
  })

  afterEach(async () => rm(folder, { recursive: true }))

  after(async () => database?.drop())

  for (const kind of ['parser', 'cli'] as const) {
    it(`leaves no language server (${kind}); its private folder is deleted by the next process`, async function () {
      const command = kind === 'cli' ? (cadenceCli() ?? this.skip()) : 'flow'
      const variables = {
        DB_URL: database.url,
        HOST: '127.0.0.1',
        HTTP_PORT: '0',
        LSP_PORT: '0',
        EDITOR_LANGUAGE_SERVER: kind,
        CHAIN_CLI_COMMAND: command,
        EDITOR_FOLDER: folder,
      }
      const first = new FlowfarmProcess(['editor'], variables)
      const client = await clientOf(first)
      client.didOpen(main, 'access(all) fun main(): Int { return 1 }')
      await client.next(({ method }) => method === 'textDocument/publishDiagnostics')
      const foreign = await RawWebSocket.open(
        Number(new URL(client.socket.url).port),
        '/lsp',
        'Origin: https://elsewhere.example\r\n',
      )
      expect(foreign.answer).to.match(/ 403 /)
      const [pid] = childrenOf(first.pid)
      if (pid === undefined) throw new Error('no language server')
      expect(await first.end('SIGKILL')).to.equal('SIGKILL')
      await waitUntilEnded(pid)
      expect(await readdir(folder)).to.have.length(1)
      const second = new FlowfarmProcess(['editor'], variables)
      await second.logged(/Editor listening/)
      expect(await readdir(folder)).to.satisfy(
        (names: string[]) => names.length === 1 && names[0]?.includes(`-${second.pid}-`),
      )
      await second.end('SIGTERM')
      expect(await readdir(folder)).to.deep.equal([])
    })
  }

  it('has its hanging language server killed by the next process', async () => {
    const gone = spawn(process.execPath, ['-e', ''])
    await once(gone, 'exit')
    const before = await createImportWorkspaces({ root: folder, source, log })
    const [name = ''] = await readdir(folder)
    const left = join(folder, name.replace(`-${process.pid}-`, `-${gone.pid}-`))
    await before.close()
    await mkdir(left)
    const { command, args } = parserProgram()
    const [hanging, other] = [left, folder].map((cwd) => spawn(command, args, { cwd, stdio: 'pipe' }))
    if (hanging === undefined || other === undefined) throw new Error('nothing was started')
    const [ended, otherEnded] = [once(hanging, 'exit'), once(other, 'exit')]
    await Promise.all([hanging, other].map((child) => once(child, 'spawn')))
    hanging.kill('SIGSTOP')
    const next = await createImportWorkspaces({ root: folder, source, log })
    expect((await ended)[1]).to.equal('SIGKILL')
    expect(existsSync(left)).to.equal(false)
    expect(other.exitCode ?? other.signalCode).to.equal(null)
    other.kill('SIGKILL')
    await otherEnded
    await next.close()
  })
})

async function clientOf(program: FlowfarmProcess): Promise<LspClient> {
  const url = String((await program.logged(/Editor listening/))['url'])
  const settings = (await (await fetch(`${url}/editor/settings`)).json()) as { lsp_url: string }
  return LspClient.ready(Number(new URL(settings.lsp_url).port), 'mainnet')
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '')
    .map(Number)
}

/** The exit of another process's child raises no event, so poll. */
async function waitUntilEnded(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}`)) await delay(20)
}
