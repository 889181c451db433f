import { AnswerLimits } from '../assistant/chat/answer-limits.ts'
import { createChatServer } from '../assistant/chat/chat-server.ts'
import type { ChatServerOptions } from '../assistant/chat/chat-server.ts'
import type { Config } from '../config.ts'
import { pageAddress } from '../platform/http/connections.ts'
import { addressList, clientReader, ownMachine } from '../platform/limits/clients.ts'
import { asError } from '../platform/errors.ts'
import { cannotListen } from '../platform/http/cannot-listen.ts'
import { createDashboardPages } from '../platform/pages/dashboard-pages.ts'
import { pageBuildOf } from '../platform/pages/page-build.ts'
import { createRootPage } from '../platform/pages/serve-page.ts'
import type { ServiceContext } from '../platform/service.ts'
import { openChat } from './open-chat.ts'

/** Starts the chat: its route, its settings and its page. */
export async function startChat(context: ServiceContext<Config>): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'chat' })
  const parts = await openChat(context, log)
  const pages = createDashboardPages({ page: 'chat', log, build: pageBuildOf(context) })
  lifecycle.onStop('page of the chat', () => pages.stop())
  const server = await createChatServer({
    parts,
    log,
    metrics,
    host: config.HOST,
    port: config.CHAT_PORT,
    page: createRootPage(pages),
    ...admission(config),
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'CHAT_PORT', port: config.CHAT_PORT, host: config.HOST })
  })
  shared.chatPort = server.port
  lifecycle.onStop('chat', () => server.close())
  const { models } = parts
  log.info(
    {
      url: pageAddress(config.HOST, server.port),
      port: server.port,
      models: models.modes.map(({ mode, state }) => `${mode}: ${state.provider}/${state.name}`),
    },
    'the chat listens',
  )
  if (models.remedy !== undefined) log.info(`there is no model for the chat: ${models.remedy}`)
  const isOpen = config.API_TOKEN === undefined && !['127.0.0.1', '::1', 'localhost'].includes(config.HOST)
  if (isOpen && models.modes.some(({ state }) => !state.isScripted))
    log.warn('whoever reaches the chat may ask, and pays nothing for the model: set API_TOKEN')
  parts.prepare(lifecycle.signal).catch((error: unknown) => {
    if (!lifecycle.signal.aborted)
      log.warn({ err: asError(error) }, 'it could not be looked which tools there are; each question looks again')
  })
}

/** Who may ask, and how much. */
export function admission(config: Config): Pick<ChatServerOptions, 'token' | 'limits' | 'clientOf' | 'trustedProxies'> {
  return {
    token: config.API_TOKEN,
    limits: new AnswerLimits({
      max: config.CHAT_CONCURRENCY,
      maxPerClient: config.CHAT_CLIENT_CONCURRENCY,
      perMinute: config.CHAT_RATE_LIMIT,
    }),
    trustedProxies: addressList(config.TRUSTED_PROXIES),
    // A program here that lies about whom it asks for could as well ask directly, without a limit.
    clientOf: clientReader(addressList([...config.TRUSTED_PROXIES, ...ownMachine])),
  }
}
