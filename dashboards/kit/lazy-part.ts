import { lazy } from 'react'
import type { ComponentType, LazyExoticComponent } from 'react'

const [firstRetryMs, lastRetryMs] = [1000, 15_000]
/** A part that still fails so often while the server answers is broken, or belongs to an older build of the page. */
const maxFailuresWhileReachable = 2

export interface LazyPartOptions {
  /** Export name: Chromium caches failed imports, so a retry imports another address by this name. */
  readonly name?: string
  /** The page holds no user input: reload it if the browser does not request the module again. */
  readonly reloads?: boolean
}

/**
 * A part of the page that is loaded when it is first shown. While the server cannot be reached the page says so and
 * tries again by itself. React throws for a part that cannot be loaded although the server answers.
 */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
  options: LazyPartOptions = {},
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadPart(load, options) }))
}

async function loadPart<Part>(load: () => Promise<Part>, { name, reloads = false }: LazyPartOptions): Promise<Part> {
  const trouble = new TroubleLine()
  let failuresWhileReachable = 0
  let address: string | undefined
  let wasAway = false
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
        if (isReachable && reloads && wasAway) location.reload()
        wasAway ||= !isReachable
        if (isReachable) failuresWhileReachable++
        if (failuresWhileReachable >= maxFailuresWhileReachable) {
          throw new Error(
            'A part of the page could not be loaded. It may have been updated on the server: reload the page.',
            { cause: error },
          )
        }
        trouble.show()
        await trouble.untilRetry(Math.min(lastRetryMs, firstRetryMs * 2 ** failures))
      }
    }
  } finally {
    trouble.hide()
  }
}

/** The address of the module that could not be loaded, where the browser names it. */
function addressIn(error: unknown): string | undefined {
  const address = error instanceof TypeError ? /https?:\/\/[^\s?#]+\.js/.exec(error.message)?.[0] : undefined
  return address?.startsWith(`${location.origin}/`) === true ? address : undefined
}

/** Undefined where the build has given the export another name. */
async function loadFrom<Part>(address: string, name: string): Promise<Part | undefined> {
  const module = (await import(/* @vite-ignore */ address)) as Readonly<Record<string, Part | undefined>>
  return module[name]
}

async function isServerReachable(): Promise<boolean> {
  try {
    return (await fetch(location.href, { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false // the page says so
  }
}

/** A line over the page: what is loading has nothing on the page yet that could say it. */
class TroubleLine {
  readonly #line = document.createElement('div')
  readonly #button = document.createElement('button')

  constructor() {
    this.#line.className = 'banner bad floating'
    this.#line.setAttribute('role', 'status')
    const text = document.createElement('p')
    text.textContent = 'Could not load this part of the page: the server does not answer. Retrying…'
    this.#button.type = 'button'
    this.#button.className = 'button small'
    this.#button.textContent = 'Retry now'
    this.#line.append(text, this.#button)
  }

  show(): void {
    document.body.append(this.#line)
  }

  hide(): void {
    this.#line.remove()
  }

  /** Resolves after a pause, when the browser is online again, or by the button. */
  async untilRetry(pauseMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const retry = (): void => resolve()
    const timer = setTimeout(retry, pauseMs)
    addEventListener('online', retry)
    this.#button.addEventListener('click', retry)
    await promise
    clearTimeout(timer)
    removeEventListener('online', retry)
    this.#button.removeEventListener('click', retry)
  }
}
