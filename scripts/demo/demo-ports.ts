import { once } from 'node:events'
import { createServer } from 'node:net'
import { FatalError } from '../../src/platform/errors.ts'
import { settings } from '../../src/config.ts'
import type { Config } from '../../src/config.ts'
import { portUser } from '../../src/platform/http/cannot-listen.ts'

/** Wide steps let demos on adjacent ports run at once. */
export const portOffsets = {
  CHAT_PORT: 100,
  LSP_PORT: 200,
  HTTP_PORT: 300,
  ASK_PORT: 400,
  MCP_PORT: 500,
  TOOLS_PORT: 600,
  WALLET_PORT: 700,
  PROXY_PORT: 800,
} as const

const lastPort = 65_535
const maxPort = lastPort - Math.max(...Object.values(portOffsets))

/** @throws FatalError if PORT is too high */
export function demoPorts(port: number): Readonly<Record<string, string>> {
  if (port === settings.PORT.read(undefined)) return { PROXY_PORT: '8000' }
  if (port > maxPort) {
    throw new FatalError(
      'bad-configuration',
      `PORT is too high: ${port}. The demo uses ports up to PORT + ${lastPort - maxPort}. Choose a PORT of ` +
        `at most ${maxPort}.`,
    )
  }
  return Object.fromEntries(
    Object.entries(portOffsets).map(([name, offset]) => [name, port === 0 ? '0' : String(port + offset)]),
  )
}

/** @throws FatalError that lists ports in use and their programs */
export async function checkPorts(config: Config): Promise<void> {
  const busy: string[] = []
  for (const name of [
    'PORT',
    'PROXY_PORT',
    'CHAT_PORT',
    'LSP_PORT',
    'HTTP_PORT',
    'ASK_PORT',
    'MCP_PORT',
    'TOOLS_PORT',
    'WALLET_PORT',
  ] as const) {
    const port = config[name] ?? 0
    if (port === 0 || !(await isInUse(port, name === 'TOOLS_PORT' ? config.TOOLS_HOST : config.HOST))) continue
    busy.push(`  ${name} ${port} is in use by ${portUser(port) ?? 'another program'}.`)
  }
  if (busy.length === 0) return
  const another = config.PORT === 0 ? '' : ` Or run PORT=${config.PORT + 1} npm run demo: unset ports follow PORT.`
  throw new FatalError(
    'cannot-listen',
    [
      'The demo cannot start: ports are in use.',
      ...busy,
      `Stop these programs, or set these variables to other ports (0 picks a free one).${another}`,
    ].join('\n'),
  )
}

async function isInUse(port: number, host: string): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
  }
}
