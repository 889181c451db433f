import { lazy } from 'react'
import type { ComponentType, LazyExoticComponent } from 'react'

const [firstRetryMs, lastRetryMs] = [1000, 15_000]
/** After more failures the module is broken or belongs to an older build. */
const maxFailuresWhileReachable = 2

export interface LazyPartOptions {
  /** Export name: Chromium caches failed imports, so a retry imports another address by this name. */
  readonly name?: string
  /** The page holds no user input: reload it if the browser does not request the module again. */
  readonly reloads?: boolean
}

/**
 * While the server is unreachable, shows a banner and retries. @throws if the module cannot be
 * loaded although the server responds
 */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
  options: LazyPartOptions = {},
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadPart(load, options) }))
}

async function loadPart<Part>(load: () => Promise<Part>, { name, reloads = false }: LazyPartOptions): Promise<Part> {
  const banner = new RetryBanner()
  let failuresWhileReachable = 0
  let address: string | undefined
  let wasUnreachable = false
  try {
    for (let failures = 0; ; failures++) {
      try {
        const part =
          address === undefined || name === undefined
            ? undefined
            : await loadFrom<Part>(`${address}?retry=${failures}`, name)
        return part ?? (await load())
      } catch (error) {
        address ??= addressIn(error)
        const isReachable = await isServerReachable()
        if (isReachable && reloads && wasUnreachable) location.reload()
        wasUnreachable ||= !isReachable
        if (isReachable) failuresWhileReachable++
        if (failuresWhileReachable >= maxFailuresWhileReachable) {
          throw new Error('Could not load part of the page. It may have been updated on the server: reload the page.', {
            cause: error,
          })
        }
        banner.show()
        await banner.untilRetry(Math.min(lastRetryMs, firstRetryMs * 2 ** failures))
      }
    }
  } finally {
    banner.hide()
  }
}

function addressIn(error: unknown): string | undefined {
  const address = error instanceof TypeError ? /https?:\/\/[^\s?#]+\.js/.exec(error.message)?.[0] : undefined
  return address?.startsWith(`${location.origin}/`) === true ? address : undefined
}

/** Undefined if the build renamed the export. */
async function loadFrom<Part>(address: string, name: string): Promise<Part | undefined> {
  const module = (await import(/* @vite-ignore */ address)) as Readonly<Record<string, Part | undefined>>
  return module[name]
}

async function isServerReachable(): Promise<boolean> {
  try {
    return (await fetch(location.href, { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false // Shown in the banner.
  }
}

class RetryBanner {
  readonly #banner = document.createElement('div')
  readonly #button = document.createElement('button')

  constructor() {
    this.#banner.className = 'banner bad floating'
    this.#banner.setAttribute('role', 'status')
    const text = document.createElement('p')
    text.textContent = 'Could not load this part of the page: the server is not reachable. Retrying…'
    this.#button.type = 'button'
    this.#button.className = 'button small'
    this.#button.textContent = 'Retry now'
    this.#banner.append(text, this.#button)
  }

  show(): void {
    document.body.append(this.#banner)
  }

  hide(): void {
    this.#banner.remove()
  }

  async untilRetry(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const retry = (): void => resolve()
    const timer = setTimeout(retry, delayMs)
    addEventListener('online', retry)
    this.#button.addEventListener('click', retry)
    await promise
    clearTimeout(timer)
    removeEventListener('online', retry)
    this.#button.removeEventListener('click', retry)
  }
}
