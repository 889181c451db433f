import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface WalletProgram {
  readonly pid: number
  readonly port: number
  end(): Promise<void>
}

/** Where the wallet of a measurement is, as its passkeys know it. */
export const walletOrigin = 'http://localhost'

/**
 * Starts `src/main.ts wallet` on a free port, as in production.
 * @param profileFolder where V8 leaves its profile of the processor when the program ends
 */
export async function startWalletProgram(
  databaseUrl: string,
  profileFolder: string | undefined,
): Promise<WalletProgram> {
  const profile = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const child = spawn(process.execPath, [...profile, join(import.meta.dirname, '../../../src/main.ts'), 'wallet'], {
    env: {
      NODE_ENV: 'production',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'info',
      DB_URL: databaseUrl,
      HOST: '127.0.0.1',
      WALLET_PORT: '0',
      WALLET_URL: walletOrigin,
      CHAIN_ACCESS_NODE: '127.0.0.1:1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Promise.withResolvers<number>()
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line)
    const found = /"port":(\d+),.*"msg":"the wallet listens"/.exec(line)
    if (found !== null) port.resolve(Number(found[1]))
  })
  child.once('exit', (code) => port.reject(new Error(`the wallet ended with ${code}: ${said.slice(-3).join('\n')}`)))
  return {
    pid: child.pid ?? 0,
    port: await port.promise,
    end: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
