import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ApiProgram {
  readonly pid: number
  readonly port: number
  end(): Promise<void>
}

/**
 * Starts `src/main.ts api` on a free port, as in production, but that it limits nobody.
 * @param profileFolder where V8 leaves its profile of the processor when the program ends
 */
export async function startApiProgram(
  databaseUrl: string,
  profileFolder: string | undefined,
  variables: Readonly<Record<string, string>> = {},
): Promise<ApiProgram> {
  const profile = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const child = spawn(process.execPath, [...profile, join(import.meta.dirname, '../../../src/main.ts'), 'api'], {
    env: {
      NODE_ENV: 'production',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'info',
      DB_URL: databaseUrl,
      HOST: '127.0.0.1',
      PORT: '0',
      CHAIN_ACCESS_NODE: '127.0.0.1:1',
      API_RATE_LIMIT_RPS: '0',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Promise.withResolvers<number>()
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line)
    const found = /"port":(\d+),"msg":"the API listens"/.exec(line)
    if (found !== null) port.resolve(Number(found[1]))
  })
  child.once('exit', (code) => port.reject(new Error(`the API ended with ${code}: ${said.slice(-3).join('\n')}`)))
  return {
    pid: child.pid ?? 0,
    port: await port.promise,
    end: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
