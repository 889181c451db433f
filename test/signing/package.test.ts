import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { repositoryRoot } from '../support/repository.ts'

const use = `import { readKnownTransaction, sendFlow, verifyUserMessage, SigningError, WalletClient } from 'flowfarm-signing'
import type { TransactionCode, TransactionSignature } from 'flowfarm-signing'

const code: TransactionCode = sendFlow('mainnet', { amount: 150_000_000n, to: '0x1654653399040a61' })
const signature: TransactionSignature = { address: '0x01', keyIndex: 0, signature: new Uint8Array(64) }
const failed = await verifyUserMessage(new Uint8Array(), signature, new Uint8Array(64)).catch((error: unknown) => error)
export const client: WalletClient = new WalletClient({ wallet: 'https://a.example', accessNode: 'https://b.example', network: 'mainnet' })
const known = readKnownTransaction(code, 'mainnet')
process.stdout.write(\`\${known?.name} \${failed instanceof SigningError ? failed.field : ''}\`)
`

describe('the package of the signing library', function () {
  this.timeout(120_000)
  let folder: string
  before(async () => void (folder = await mkdtemp(join(tmpdir(), 'flowfarm-signing-'))))
  after(() => rm(folder, { recursive: true, force: true }))

  const run = async (cwd: string, command: string, ...args: readonly string[]): Promise<string> => {
    const PATH = [join(repositoryRoot, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
    const { stdout } = await promisify(execFile)(command, args, { cwd, env: { ...process.env, PATH } }).catch(
      (error: unknown) => {
        const { stdout: text, stderr } = error as { readonly stdout: string; readonly stderr: string }
        throw new Error(`${text}${stderr}`, { cause: error })
      },
    )
    return stdout
  }

  it('installs in an empty folder without a network, runs, and has types', async () => {
    const [source, app] = [join(folder, 'source'), join(folder, 'app')]
    await cp(join(repositoryRoot, 'clients/signing'), source, {
      recursive: true,
      filter: (path) => !path.endsWith('dist'),
    })
    await mkdir(app)
    await run(source, 'npm', 'pack', '--offline', '--pack-destination', folder)
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
    await writeFile(join(app, 'package.json'), '{ "private": true, "type": "module" }')
    await run(app, 'npm', 'install', '--offline', '--no-audit', '--no-fund', join(folder, archive))
    const installed = join(app, 'node_modules/flowfarm-signing')
    expect((await readdir(installed)).toSorted()).to.deep.equal(['README.md', 'dist', 'package.json'])
    expect(await readdir(join(app, 'node_modules')))
      .to.include('flowfarm-signing')
      .and.not.include('rlp')

    await writeFile(join(app, 'use.ts'), use)
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
    const types = join(repositoryRoot, 'node_modules/@types')
    await run(app, 'tsc', ...options, '--typeRoots', types, 'use.ts')
    expect(await run(app, process.execPath, 'use.ts')).to.equal('send-flow extensionData')
  })
})
