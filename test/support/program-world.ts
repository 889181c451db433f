import { browserOrSkip } from './browser.ts'
import type { TestBrowser } from './browser.ts'
import { createTestDatabase } from './database.ts'
import { FlowfarmProcess } from './flowfarm-process.ts'
import { createMailFolder } from './mail-folder.ts'
import type { MailFolder } from './mail-folder.ts'
import type { PayerChain } from './payer-chains.ts'

/** The environment of a program that users open in a browser. */
export interface ProgramWorld {
  readonly chain: PayerChain
  readonly browser: TestBrowser
  /** The folder for the program's e-mails. */
  readonly mails: MailFolder
  /** Starts program services on the chain with a separate database. They stop with the world. */
  run(services: readonly string[], variables: Readonly<Record<string, string>>): FlowfarmProcess
  stop(): Promise<void>
}

/** Skips the suite if the chain or the browser is unavailable. */
export async function startProgramWorld(
  hook: Mocha.Context,
  startChain: (hook: Mocha.Context) => Promise<PayerChain>,
): Promise<ProgramWorld> {
  await using stack = new AsyncDisposableStack()
  const chain = await startChain(hook)
  stack.defer(() => chain.stop())
  const browser = await browserOrSkip(hook)
  stack.defer(() => browser.close())
  const database = await createTestDatabase()
  stack.defer(() => database.drop())
  const mails = await createMailFolder()
  stack.defer(() => mails.remove())
  const ending = stack.move()
  return {
    chain,
    browser,
    mails,
    run: (services, variables) => {
      const program = new FlowfarmProcess(services, {
        DB_URL: database.url,
        CHAIN_ACCESS_NODE: chain.endpoint,
        HOST: '127.0.0.1',
        MAIL_FOLDER: mails.path,
        ...variables,
      })
      ending.defer(async () => {
        await program.end('SIGTERM')
      })
      return program
    },
    stop: () => ending.disposeAsync(),
  }
}
