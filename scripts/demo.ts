import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEndpoint } from '../src/access/transport/endpoint.ts'
import { DeveloperKeys } from '../src/platform/auth/developer-keys.ts'
import { pageAddress } from '../src/platform/http/connections.ts'
import { readConfig } from '../src/config.ts'
import type { Config } from '../src/config.ts'
import { putLabel } from '../src/explorer/admin/labels.ts'
import { asError, exitCodeOf, exitCodes } from '../src/platform/errors.ts'
import { modelSettings } from '../src/platform/llm/settings.ts'
import { connectDirectly } from '../src/platform/outbound/config-proxy.ts'
import { pageBuildOf } from '../src/platform/pages/page-build.ts'
import type { PageBuild } from '../src/platform/pages/page-build.ts'
import { runProgram } from '../src/program.ts'
import { defaultServices } from '../src/services.ts'
import { editorUrl } from '../src/editor/settings.ts'
import { demoHelp, readDemoArguments } from './demo/arguments.ts'
import type { DemoArguments } from './demo/arguments.ts'
import type { DemoChain } from './demo/demo-chain.ts'
import { accessNodeFile, makeDemoFolder } from './demo/demo-folder.ts'
import { checkPorts, demoPorts } from './demo/demo-ports.ts'
import { greetingText, waitForPages } from './demo/greeting.ts'
import { startRecordedChain } from './demo/recorded-chain.ts'
import { startSimulatedChain } from './demo/simulated-chain.ts'

const databaseSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '128MB' }

function configure(chain: DemoChain, folder: string): Config {
  connectDirectly(parseEndpoint(chain.endpoint).host)
  const overrides = {
    CHAIN_ACCESS_NODE: chain.endpoint,
    CHAIN_ACCESS_NODES: '',
    CHAIN_HISTORIC_ACCESS_NODES: '',
    CHAIN_ARCHIVE_NODE: '',
    CHAIN_REST_URL: '',
    DB_URL: '',
    DB_READ_URL: '',
    INDEXER_DATABASE_URL: '',
    EVM_EXPLORER_DATABASE_URL: '',
    DATA_FOLDER: folder,
    START_BLOCK: '',
    HISTORY_STOP_HEIGHT: '',
    BACKEND_URL: '',
  }
  const defaults = {
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'pretty',
    CHROMA_PERSIST_DIR: join(folder, 'approved-examples'),
    // A fault drill is flagged after 30 s instead of an hour.
    WORKER_RETRY_BASE_MS: '250',
    WORKER_RETRY_CAP_MS: '2000',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    MAIL_FOLDER: join(folder, 'mail'),
    EDITOR_FOLDER: folder,
    WORKERS_DIR: 'my-workers',
    WORKERS_RELOAD: 'true',
    ...(chain.samples.length === 0 ? {} : { EDITOR_SAMPLES: writeSamples(folder, chain.samples) }),
    ...chain.variables,
  }
  const { LLM_API_KEY: key, LLM_BASE_URL: base, PORT: port, HOST: host } = readConfig(overrides, undefined, defaults)
  return readConfig(overrides, undefined, {
    ...defaults,
    ...(key === undefined && base === undefined ? { LLM_PROVIDER: 'scripted' } : {}),
    ...demoPorts(port),
    ...(port === 0 ? {} : { CHAT_EXPLORER_URL: pageAddress(host, port) }),
  })
}

function writeSamples(folder: string, samples: DemoChain['samples']): string {
  const file = join(folder, 'sample-scripts.json')
  writeFileSync(file, JSON.stringify(samples))
  return file
}

async function demo(options: DemoArguments): Promise<number> {
  const folder = makeDemoFolder()
  const chain =
    options.chain === 'simulated'
      ? await startSimulatedChain(options)
      : await startRecordedChain(options.folder, options.isStill)
  writeFileSync(join(folder, accessNodeFile), chain.endpoint)
  const config = configure(chain, folder)
  await checkPorts(config)
  // LOG_FORMAT=json needs pure JSON on standard output.
  const say = (text: string): boolean => (config.LOG_FORMAT === 'json' ? process.stderr : process.stdout).write(text)
  say(`Starting PostgreSQL, a node with a ${options.chain} chain, and all services…\n`)
  let build: PageBuild | undefined
  const exitCode = await runProgram({
    config,
    services: defaultServices(config),
    databaseSettings,
    prepare: async (lifecycle, log) => {
      // Pages build while the database starts.
      build = pageBuildOf({ lifecycle, log })
      build.folder().catch((error: unknown) => log.debug({ err: asError(error) }, 'Page build stopped'))
      lifecycle.onStop('node', () => chain.stop())
      lifecycle.signal.addEventListener('abort', () => say('\n  Stopping…\n'), { once: true })
      chain.failed.catch((error: unknown) => lifecycle.fail(error))
    },
    onReady: async ({ shared, terminal, pool }) => {
      const write = (text: string): unknown => (config.LOG_FORMAT === 'json' ? say(text) : terminal.stream.write(text))
      for (const label of chain.labels) await putLabel(pool, label)
      const { text: key } = await new DeveloperKeys(pool).create({ name: 'demo', tier: 'unlimited' })
      const pageProblem = build === undefined ? undefined : await waitForPages(build, write)
      if (build?.isStopped === true) return
      const text = greetingText({
        pageProblem,
        chain,
        folder,
        key,
        model: modelSettings(config),
        chat: pageAddress(config.HOST, shared.proxyPort ?? 0),
        page: pageAddress(config.HOST, shared.apiPort ?? config.PORT),
        askPage: pageAddress(config.HOST, shared.askPort ?? config.ASK_PORT),
        mcp: `${pageAddress(config.HOST, shared.mcpPort ?? config.MCP_PORT)}/mcp`,
        wallet: config.WALLET_URL ?? `http://localhost:${shared.walletPort ?? config.WALLET_PORT}`,
        editor: editorUrl(config, shared.editorPort),
        mailFolder: config.SMTP_URL === undefined ? config.MAIL_FOLDER : undefined,
      })
      write(text)
    },
  })
  if (exitCode === exitCodes.success) say('  The demo has stopped.\n')
  return exitCode
}

async function main(args: readonly string[]): Promise<number> {
  const options = readDemoArguments(args)
  if (options !== 'help') return demo(options)
  process.stdout.write(demoHelp)
  return exitCodes.success
}

let exitCode: number
try {
  exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${asError(error).message}\n`)
  exitCode = exitCodeOf(error)
}
process.exit(exitCode)
