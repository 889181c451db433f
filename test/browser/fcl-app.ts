import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { BrowserContext, Page } from 'playwright-core'
import { listenLocally } from '../support/listen-locally.ts'

/** A test application with FCL: `fcl-core` with a window strategy. */

export interface FclApp {
  /** URL of the page, on another site than the wallet. */
  readonly origin: string
  stop(): Promise<void>
}

/** Virtual module: this file does not exist; its source is below. */
const entry = fileURLToPath(new URL('application.js', import.meta.url))

/** FCL's browser package has the same strategy around the same message handler. */
const source = `
import { AppUtils, TransactionError, VERSION, buildMessageHandler, config, getCurrentUser, getMutate, initServiceRegistry, normalizePollingResponse, serviceEndpoint, t, tx } from '@onflow/fcl-core'
import { httpTransport } from '@onflow/transport-http'

const sendTo = (popup) => (message) => popup.postMessage(JSON.parse(JSON.stringify(message)), '*')

function inWindow({ service, body, config, opts }) {
  return new Promise((resolve, reject) => {
    let popup
    let timer
    const close = () => {
      window.removeEventListener('message', handler)
      clearInterval(timer)
      popup.close()
      reject(new Error('Declined: Externally Halted'))
    }
    const handler = buildMessageHandler({
      close, send: (message) => sendTo(popup)(message), getSource: () => popup, onMessage: () => {}, onCustomRpc: () => {},
      onReady: () => {
        const asked = { fclVersion: VERSION, body, service: { params: service.params, data: service.data, type: service.type }, config }
        sendTo(popup)({ type: 'FCL:VIEW:READY:RESPONSE', ...asked })
        sendTo(popup)({ type: 'FCL:FRAME:READY:RESPONSE', ...asked, deprecated: { message: 'old' } })
        if (opts.includeOlderJsonRpcCall) sendTo(popup)({ jsonrpc: '2.0', id: 1, method: 'fcl:sign', params: [body, service.params] })
      },
      onResponse: ({ data }) => {
        const answer = normalizePollingResponse(data)
        if (answer.status === 'APPROVED') resolve(answer.data)
        else reject(new Error('Declined: ' + answer.reason))
        close()
      },
    })
    window.addEventListener('message', handler)
    popup = window.open(serviceEndpoint(service), 'wallet', 'width=480,height=720')
    timer = setInterval(() => { if (popup.closed) close() }, 100)
  })
}

const kept = new Map()
initServiceRegistry({ coreStrategies: { 'POP/RPC': inWindow } })
const user = getCurrentUser({ platform: 'web', getStorageProvider: async () => ({ can: true, get: async (key) => kept.get(key), put: async (key, value) => kept.set(key, value), removeItem: async (key) => kept.delete(key) }) })
const mutate = getMutate(user)

// The test signs for it: no key is in a page.
const paidBy = ({ address, keyIndex }) => (account) => ({
  ...account, tempId: address + '-' + keyIndex, addr: address, keyId: keyIndex,
  signingFunction: async ({ message }) => ({ addr: address, keyId: keyIndex, signature: await window.signAsPayer(message) }),
})

window.application = {
  set: (settings) => config(settings),
  connect: async (nonce) => {
    config().put('fcl.accountProof.resolver', nonce === undefined ? undefined : async () => ({ nonce }))
    return JSON.parse(JSON.stringify(await user.authenticate()))
  },
  signMessage: async (hex) => {
    const answer = await user.signUserMessage(hex)
    return answer instanceof Error ? { error: answer.message } : answer
  },
  send: async (cadence, values, payer) => {
    try {
      const id = await mutate({ cadence, ...(payer === undefined ? {} : { payer: paidBy(payer) }), args: (arg, types) => values.map(({ type, value }) => arg(value, types[type])), limit: 999 })
      return { id }
    } catch (error) {
      return { error: String(error.message ?? error) }
    }
  },
  sealed: async (id) => (await tx(id).onceSealed()).statusString,
}
`

/** Builds the application and serves it. @param options.host of the page: the wallet is at localhost */
export async function startFclApp({ host = '127.0.0.1' } = {}): Promise<FclApp> {
  const script = await bundle()
  const server = createServer(({ url }, response) => {
    const isScript = url === '/application.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html; charset=utf-8' })
    response.end(
      isScript
        ? script
        : '<!doctype html><title>An application</title><h1>An application</h1><script type="module" src="/application.js"></script>',
    )
  })
  const { port, stop } = await listenLocally(server)
  return { origin: `http://${host}:${port}`, stop }
}

export async function openFclApp(
  context: BrowserContext,
  { origin }: FclApp,
  settings: Readonly<Record<string, string>>,
): Promise<Page> {
  const page = await context.newPage()
  await page.goto(origin)
  await page.waitForFunction('window.application !== undefined')
  await page.evaluate(`application.set(${JSON.stringify(settings)})`)
  return page
}

/**
 * Triggers an action of the application that opens a window.
 * @returns the window and the result
 */
export async function withPopup<Answer>(
  page: Page,
  call: string,
): Promise<{ readonly popup: Page; readonly answer: Promise<Answer> }> {
  const [popup, answer] = await Promise.all([
    page.waitForEvent('popup'),
    Promise.resolve({ coming: page.evaluate<Answer>(call) }),
  ])
  // The test handles the rejection later.
  answer.coming.catch(() => undefined)
  return { popup, answer: answer.coming }
}

let built: Promise<string> | undefined

function bundle(): Promise<string> {
  built ??= build({
    configFile: false,
    envDir: false,
    logLevel: 'silent',
    root: fileURLToPath(new URL('.', import.meta.url)),
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'application',
        resolveId: (id) => (id === entry ? entry : undefined),
        load: (id) => (id === entry ? source : undefined),
      },
    ],
    build: { write: false, minify: false, lib: { entry, formats: ['es'], fileName: 'application' } },
  }).then((result) => {
    const [first] = Array.isArray(result) ? result : [result]
    const chunk = first !== undefined && 'output' in first ? first.output[0] : undefined
    if (chunk === undefined) throw new Error('The application was not built.')
    return chunk.code
  })
  return built
}
