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
 * A real browser without a window. It comes as an npm package and unpacks itself into the folder for temporary files,
 * here one of its own, so that any number of runs and users do not meet.
 * @throws where this machine cannot run it, with the reason
 */
export async function startBrowser(): Promise<TestBrowser> {
  const before = process.env['TMPDIR']
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-browser-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    process.env['TMPDIR'] = folder
    const executablePath = await sparticuz.executablePath()
    // Not the package's own arguments: they put everything into one process, and switch off the rules of origins.
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
      headless: true,
    })
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
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}
