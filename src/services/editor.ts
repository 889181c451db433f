import { addressList, clientReader, ownMachine } from '../platform/limits/clients.ts'
import { createEditorServer } from '../editor/editor-server.ts'
import { cannotListen } from '../platform/http/cannot-listen.ts'
import type { Config } from '../config.ts'
import type { ServiceContext } from '../platform/service.ts'
import { createDashboardPages } from '../platform/pages/dashboard-pages.ts'
import { createEditorPage } from './editor-page.ts'
import { openEditor } from './open-editor.ts'
import { pageBuildOf } from '../platform/pages/page-build.ts'

/** Starts the editor: its page, projects and repositories on HTTP_PORT, and the language server channel on LSP_PORT. */
export async function startEditor(context: ServiceContext<Config>): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'editor' })
  const pages = createDashboardPages({ page: 'editor', log, build: pageBuildOf(context) })
  lifecycle.onStop('page of the editor', () => pages.stop())
  const clientOf = clientReader(addressList([...config.TRUSTED_PROXIES, ...ownMachine]))
  let opened: Awaited<ReturnType<typeof openEditor>> | undefined
  const server = await createEditorServer({
    clientOf,
    log,
    metrics,
    host: config.HOST,
    port: config.HTTP_PORT,
    open: async (port) => {
      shared.editorPort = port
      opened = await openEditor(context, { port, clientOf, log, page: (settings) => createEditorPage(pages, settings) })
      return opened
    },
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'HTTP_PORT', port: config.HTTP_PORT, host: config.HOST })
  })
  lifecycle.onStop('editor', () => server.close())
  log.info(
    { url: opened?.url, port: server.port, channel: opened?.lspUrl, languageServer: opened?.languageServer.label },
    'the editor listens',
  )
}
