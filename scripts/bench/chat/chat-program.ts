import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ChatProgram {
  readonly pid: number
  /** Of its route. */
  readonly url: string
  end(): Promise<void>
}

export interface ChatProgramOptions {
  readonly databaseUrl: string
  /** The MCP server whose tools it uses. */
  readonly mcpUrl: string
  /** Of the provider of models, which speaks chat completions. */
  readonly providerUrl: string
}

/** Starts `src/main.ts chat` on a free port. */
export async function startChatProgram({ databaseUrl, mcpUrl, providerUrl }: ChatProgramOptions): Promise<ChatProgram> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/main.ts'), 'chat'], {
    env: {
      NODE_ENV: 'production',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'info',
      DB_URL: databaseUrl,
      HOST: '127.0.0.1',
      CHAT_PORT: '0',
      MCP_SERVER_URL: mcpUrl,
      CHAIN_ACCESS_NODE: '127.0.0.1:1',
      LLM_BASE_URL: providerUrl,
      LLM_MODEL: 'paced',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Promise.withResolvers<number>()
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line)
    const found = /"port":(\d+),.*"msg":"the chat listens"/.exec(line)
    if (found !== null) port.resolve(Number(found[1]))
  })
  child.once('exit', (code) => port.reject(new Error(`the chat ended with ${code}: ${said.slice(-3).join('\n')}`)))
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${await port.promise}/api/chat`,
    end: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
