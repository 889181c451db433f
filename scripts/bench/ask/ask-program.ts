import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface AskProgram {
  readonly pid: number
  readonly port: number
  end(): Promise<void>
}

/** Starts `src/main.ts ask` on a free port, as in production. @param memoryFolder where it looks for approved examples */
export async function startAskProgram(databaseUrl: string, memoryFolder: string): Promise<AskProgram> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/main.ts'), 'ask'], {
    env: {
      NODE_ENV: 'production',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'info',
      DB_URL: databaseUrl,
      HOST: '127.0.0.1',
      ASK_PORT: '0',
      PORT: '0',
      CHAIN_ACCESS_NODE: '127.0.0.1:1',
      CHROMA_PERSIST_DIR: memoryFolder,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Promise.withResolvers<number>()
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line)
    const found = /"port":(\d+),"msg":"the query service listens"/.exec(line)
    if (found !== null) port.resolve(Number(found[1]))
  })
  child.once('exit', (code) =>
    port.reject(new Error(`the query service ended with ${code}: ${said.slice(-3).join('\n')}`)),
  )
  return {
    pid: child.pid ?? 0,
    port: await port.promise,
    end: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
