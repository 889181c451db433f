import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
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

const useAuth = `import { ApiProblem, SessionManager, fullOptions, rolesOf, verifyCode } from 'flowfarm-auth'
import type { SessionState } from 'flowfarm-auth'

const options = fullOptions({ gotrueUrl: 'http://127.0.0.1:1/auth/v1/', passkeyAuthUrl: '/f', rpId: 'localhost', rpName: '' })
const state: SessionState = new SessionManager(options).state
const failed = await verifyCode(options, 'ada@example.com', '123456').catch((error: unknown) => error)
const { roles } = rolesOf({ app_metadata: { role: 'admin' } })
process.stdout.write(\`\${state.status} \${failed instanceof ApiProblem ? failed.code : ''} \${roles.join()}\`)
`

describe('the packages for applications', function () {
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

  /** Packs the library, installs it in an empty folder without a network, and runs a typed program with it. */
  const runInstalled = async (
    { name, source, app }: { readonly name: string; readonly source: string; readonly app: string },
    program: string,
    dependencies: readonly string[] = [],
  ): Promise<string> => {
    await mkdir(app, { recursive: true })
    await run(source, 'npm', 'pack', '--offline', '--pack-destination', folder)
    const [archive = ''] = (await readdir(folder)).filter((file) => file.startsWith(name) && file.endsWith('.tgz'))
    await writeFile(join(app, 'package.json'), '{ "private": true, "type": "module" }')
    await run(app, 'npm', 'install', '--offline', '--no-audit', '--no-fund', join(folder, archive), ...dependencies)
    expect((await readdir(join(app, 'node_modules', name))).toSorted()).to.deep.equal([
      'README.md',
      'dist',
      'package.json',
    ])
    await writeFile(join(app, 'use.ts'), program)
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
    await run(app, 'tsc', ...options, '--typeRoots', join(repositoryRoot, 'node_modules/@types'), 'use.ts')
    return run(app, process.execPath, 'use.ts')
  }

  it('sign without dependencies', async () => {
    const [source, app] = [join(folder, 'source'), join(folder, 'app')]
    await cp(join(repositoryRoot, 'clients/signing'), source, {
      recursive: true,
      filter: (path) => !path.endsWith('dist'),
    })
    expect(await runInstalled({ name: 'flowfarm-signing', source, app }, use)).to.equal('send-flow extensionData')
    expect(await readdir(join(app, 'node_modules'))).to.not.include('rlp')
  })

  it('sign in', async () => {
    const tree = join(folder, 'tree')
    const [source, app] = [join(tree, 'dashboards/auth'), join(folder, 'auth-app')]
    await mkdir(tree)
    await writeFile(join(tree, 'package.json'), '{ "type": "module" }')
    await symlink(join(repositoryRoot, 'node_modules'), join(tree, 'node_modules'))
    for (const part of ['dashboards/auth', 'dashboards/kit/api.ts', 'clients/signing'])
      await cp(join(repositoryRoot, part), join(tree, part), {
        recursive: true,
        filter: (path) => !path.endsWith('dist'),
      })
    const webAuthn = join(repositoryRoot, 'node_modules/@simplewebauthn/browser')
    expect(await runInstalled({ name: 'flowfarm-auth', source, app }, useAuth, [webAuthn])).to.equal(
      'loading no-answer admin',
    )
  })
})
