/** FCL's message exchange with a wallet window (`FCL:VIEW:*`). */

export class WalletProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WalletProblem'
  }
}

/** Relative to the wallet. */
type WalletPage = 'authn' | 'authz'

const lookMs = 300

/**
 * Opens in the click of a user, which browsers require; the request may follow later.
 */
export class WalletWindow {
  readonly #origin: string
  readonly #popup: WindowProxy

  /** @throws WalletProblem if the browser blocks the window */
  constructor(walletUrl: string, page: WalletPage) {
    this.#origin = new URL(walletUrl).origin
    const popup = window.open(`${this.#origin}/fcl/${page}`, '_blank', 'popup,width=480,height=720')
    if (popup === null)
      throw new WalletProblem('The browser blocked the wallet window. Allow pop-ups for this page, and try again.')
    this.#popup = popup
  }

  /**
   * Resolves to the approved data. @throws WalletProblem if the user declines or closes the window;
   * the reason of the signal
   */
  async request(body: Promise<object>, network: string, signal: AbortSignal): Promise<unknown> {
    const stopped = new AbortController()
    try {
      return await Promise.race([
        this.#answer(body, network, stopped.signal),
        // Reports a problem before the wallet is ready.
        body.then(() => new Promise<never>(() => undefined)),
        new Promise<never>((_, reject) => {
          const stop = (): void => reject(signal.reason as Error)
          if (signal.aborted) stop()
          signal.addEventListener('abort', stop, { signal: stopped.signal })
        }),
      ])
    } finally {
      stopped.abort()
      this.#popup.close()
    }
  }

  #answer(body: Promise<object>, network: string, stopped: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setInterval(() => {
        if (this.#popup.closed) reject(new WalletProblem('The wallet window was closed. Nothing was sent.'))
      }, lookMs)
      stopped.addEventListener('abort', () => clearInterval(timer))
      const hear = ({ source, origin, data }: MessageEvent<unknown>): void => {
        if (source !== this.#popup || origin !== this.#origin || typeof data !== 'object' || data === null) return
        const { type, status, reason, data: approved } = data as Readonly<Record<string, unknown>>
        if (type === 'FCL:VIEW:READY') void this.#send(body, network).catch(reject)
        if (type !== 'FCL:VIEW:RESPONSE') return
        if (status === 'APPROVED') resolve(approved)
        else reject(new WalletProblem(typeof reason === 'string' ? reason : 'The wallet declined the request.'))
      }
      addEventListener('message', hear, { signal: stopped })
    })
  }

  async #send(body: Promise<object>, network: string): Promise<void> {
    this.#popup.postMessage(
      {
        type: 'FCL:VIEW:READY:RESPONSE',
        body: await body,
        config: { client: { network }, app: { title: 'Cadence editor' } },
      },
      this.#origin,
    )
  }
}
