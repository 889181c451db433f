import { chown, copyFile, chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { enrichmentOff } from '../support/enrichment-off.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import type { HalfOpenProxy } from '../support/half-open-proxy.ts'
import { untilStored } from '../support/ingest.ts'
import { makeServerFolder, removeServerFolder, startOwnServer } from './own-server.ts'
import type { OwnServer } from './own-server.ts'

const fixtures = join(import.meta.dirname, '../support/fixtures')
const authority = join(fixtures, 'localhost-cert.pem')

/** As required by managed PostgreSQL services. */
describe('a database that requires TLS', function () {
  let folder: string
  let server: OwnServer
  /** Servers of several tests use the same port at different addresses. */
  const address = `127.${(process.pid >> 16) + 1}.${(process.pid >> 8) & 255}.${process.pid & 255}`
  let proxy: HalfOpenProxy
  const programs: FlowfarmProcess[] = []

  before(async () => {
    folder = await makeServerFolder()
    await (await startOwnServer(folder)).stop()
    const cluster = join(folder, 'cluster')
    const { uid, gid } = await stat(cluster)
    for (const name of ['localhost-cert.pem', 'localhost-key.pem']) {
      await copyFile(join(fixtures, name), join(cluster, name))
      await chmod(join(cluster, name), 0o600)
      await chown(join(cluster, name), uid, gid)
    }
    server = await startOwnServer(folder, {
      listen_addresses: address,
      ssl: 'on',
      ssl_cert_file: 'localhost-cert.pem',
      ssl_key_file: 'localhost-key.pem',
    })
    proxy = await startHalfOpenProxy(`postgresql://flowfarm@${address}:5432/flowfarm`)
  })

  afterEach(async function (this: Mocha.Context) {
    if (this.currentTest?.state === 'failed')
      for (const one of programs) process.stderr.write(`${one.output().slice(-20_000)}\n\n`)
    await Promise.all(programs.splice(0).map((one) => one.end('SIGKILL')))
  })

  after(async () => {
    await proxy.close()
    await server.stop()
    await removeServerFolder(folder)
  })

  for (const mode of ['verify-full', 'require', 'no-verify']) {
    it(`accepts all services with sslmode=${mode}`, async () => {
      await using node = await startLedgerNode({ head: 20 })
      const trust = mode === 'no-verify' ? '' : `&sslrootcert=${encodeURIComponent(authority)}`
      const program = new FlowfarmProcess([], {
        ...enrichmentOff,
        DB_URL: `${proxy.url}?sslmode=${mode}${trust}`,
        CHAIN_ACCESS_NODE: node.endpoint,
        HOST: '127.0.0.1',
        PORT: '0',
        ASK_PORT: '0',
        MCP_PORT: '0',
        CHAT_PORT: '0',
        WALLET_PORT: '0',
        HTTP_PORT: '0',
        LSP_PORT: '0',
        TOOLS_PORT: '0',
      })
      programs.push(program)
      const { port: apiPort } = await program.logged(/API listening/)
      await untilStored(server, 0, 20)
      expect((await fetch(`http://127.0.0.1:${String(apiPort)}/flow/block/20`)).status).to.equal(200)
      const { port: askPort } = await program.logged(/Query service listening/)
      const requested = await fetch(`http://127.0.0.1:${String(askPort)}/api/v1/run_sql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"sql":"SELECT max(height) AS height FROM raw.blocks"}',
      })
      expect(await requested.json()).to.deep.include({ results: [{ height: '20' }] })
      // Pooled connections open late and close when idle; the ingester keeps one with its process
      // in the application name.
      const missing = new Set(['flowfarm api', 'flowfarm ingest', 'flowfarm farm', 'flowfarm ask'])
      while (missing.size > 0) {
        const { rows } = await server.pool.query<{ application_name: string; ssl: boolean }>(
          `select application_name, bool_and(ssl) as ssl from pg_stat_ssl join pg_stat_activity using (pid)
           where application_name like 'flowfarm%' group by 1`,
        )
        for (const { application_name: name } of rows) missing.delete(name.split(/[,:]/)[0] ?? '')
        expect(rows.filter(({ ssl }) => !ssl)).to.deep.equal([])
        await pause(100)
      }
      expect(await program.end('SIGTERM')).to.equal(0)
    })
  }

  it('is rejected if its certificate is not trusted', async () => {
    const program = new FlowfarmProcess(['api'], { DB_URL: `${proxy.url}?sslmode=verify-full` })
    programs.push(program)
    expect(await program.ended()).to.be.oneOf([1, 75])
    expect(program.output()).to.match(/self-signed certificate/)
  })
})
