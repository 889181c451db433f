interface DeployChannelOptions {
  readonly url: string
  readonly projectId: string
  readonly token: () => Promise<string | undefined>
  /** A push or deployment; also after a reconnect, since events may have been missed. */
  readonly onNews: () => void
}

const firstRetryMs = 1000

const lastRetryMs = 30_000

export class DeployChannel {
  readonly #options: DeployChannelOptions
  #socket: WebSocket | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #isClosed = false

  constructor(options: DeployChannelOptions) {
    this.#options = options
    this.#open()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#socket?.close(1000)
  }

  #open(): void {
    const { url, projectId, token, onNews } = this.#options
    const socket = new WebSocket(url)
    this.#socket = socket
    socket.addEventListener('open', () => {
      token().then(
        (text) => {
          if (socket.readyState === WebSocket.OPEN)
            socket.send(JSON.stringify({ type: 'subscribe:deploy', project_id: projectId, token: text ?? null }))
        },
        () => socket.close(),
      )
    })
    socket.addEventListener('message', ({ data }) => {
      const type = typeof data === 'string' ? readMessage(data)?.type : undefined
      if (type === 'subscribed') this.#failures = 0
      // Rejected, for example because the token expired: retry later with a new one.
      if (type === 'error') socket.close()
      else if (type === 'subscribed' || (typeof type === 'string' && type.startsWith('deploy:'))) onNews()
    })
    socket.addEventListener('close', () => {
      if (this.#isClosed) return
      const wait = Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures++)
      this.#timer = setTimeout(() => this.#open(), wait)
    })
  }
}

export interface ChannelMessage {
  readonly type?: unknown
  readonly method?: unknown
  readonly params?: { readonly state?: unknown }
  readonly message?: unknown
  readonly server?: { readonly label?: unknown }
}

export function readMessage(data: string): ChannelMessage | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
