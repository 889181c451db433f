import { pino } from 'pino'
import type { Mount } from '../../src/platform/http/server.ts'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import { createExplorerPage } from '../../src/explorer/page.ts'
import type { ExplorerPageOptions } from '../../src/explorer/page.ts'

/**
 * The explorer page as the program mounts it. Built unless a build of the current sources exists.
 */
export function explorerPage(options: ExplorerPageOptions = {}): Pick<Mount, 'handle' | 'close'> {
  const log = pino({ level: 'silent' })
  const urls = { ask: 'https://ask.example/', chat: 'https://chat.example/', editor: 'https://editor.example/' }
  const pages = createDashboardPages({ page: 'explorer', log, applications: () => ({ own: [], ports: {}, urls }) })
  return {
    handle: createExplorerPage(pages, log, options),
    close: async () => {
      pages.stop()
    },
  }
}
